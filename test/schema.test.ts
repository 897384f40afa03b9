import { expect } from 'chai';
import { Type as TypeBox } from 'typebox';
import { Type } from '../src/schema.ts';

/** Every function, with and without options. */
function build(type: typeof Type) {
  const text = type.String({ minLength: 1, 'x-expects': 'text' });
  const object = type.Object(
    { text, count: type.Optional(type.Integer()), flag: type.Boolean() },
    { additionalProperties: false, description: 'An object' },
  );
  return {
    array: [type.Array(text), type.Array(object, { maxItems: 3 })],
    boolean: [type.Boolean(), type.Boolean({ description: 'A flag' })],
    enum: [type.Enum(['a', 'b']), type.Enum(['a', 'b'], { type: 'string' })],
    numbers: [type.Integer(), type.Integer({ minimum: 1 }), type.Number(), type.Number({ maximum: 90 })],
    object: [object, type.Object({}), type.Object({ text: type.Optional(text) }), type.Object({ object })],
    partial: [type.Partial(object), type.Partial(object, { additionalProperties: false })],
    nestedPartial: type.Object({ changes: type.Partial(object), later: type.Optional(type.Partial(object)) }),
    tuple: type.Tuple([text, type.Integer()]),
    union: type.Union([object, text]),
    unsafe: type.Unsafe<string | null>({ ...text, type: ['string', 'null'] }),
  };
}

describe('A schema', () => {
  it('is the JSON Schema that TypeBox makes', () => {
    expect(JSON.stringify(build(Type))).to.equal(JSON.stringify(build(TypeBox)));
  });
});
