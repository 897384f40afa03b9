import { expect } from 'chai';
import { v7 as uuid } from 'uuid';
import { loadConfig } from '../../../src/config.ts';
import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Schema,
} from '../../../src/web/api/reference.ts';
import { buildOpenApi } from '../../../src/web/api/openapi.ts';
import { operations } from '../../../src/web/api/router.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { sharedService } from '../../support/shared-service.ts';

const document = buildOpenApi(operations, loadConfig({})) as unknown as OpenApiDocument;

/** The document and the handlers: a client that sends what is marked as required is not told that more is. */
describe('What the OpenAPI document marks as required', () => {
  let api: ApiClient;
  let ids: Record<string, string>;

  before(async () => {
    api = ownerClient(await sharedService());
    const post = async (path: string, body: object) =>
      (await api(path, { method: 'POST', body })).body.id as string;
    const vcard = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEND:VCARD';
    ids = {
      qrcodes: await post('/qrcodes', { name: 'Ada', content: vcard, type: 'vcard' }),
      styles: await post('/styles', { name: 'Poster' }),
      webhooks: await post('/webhooks', {
        url: 'https://example.com/hook',
        name: 'Hook',
        events: ['code.created'],
      }),
    };
  });

  const each = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  // Last, because the others need what is deleted.
  const inOrder = each.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

  for (const { path, method, operation } of inOrder) {
    it(`is what ${method} ${path} requires`, async () => {
      const send = async (body: unknown) => {
        const address = path.replace('{id}', ids[path.split('/')[1] ?? ''] ?? uuid());
        const answer = await api(address, { method, ...(method !== 'GET' && { body }) });
        const details: { field: string; message: string }[] = answer.body?.details ?? [];
        return details.filter(({ message }) => message === 'is required').map(({ field }) => field);
      };
      const schema = bodyOf(operation);
      const parameters = operation.parameters.filter(isInRequest).map(({ name }) => name);
      expect(await send({}), 'nothing given').to.have.members([...parameters, ...(schema?.required ?? [])]);
      if (!schema) return;
      expect(await send(hollow(schema)), 'nested objects').to.have.members([
        ...parameters,
        ...requiredIn(schema),
      ]);
    });
  }

  it('includes the parameter `alt` of the logo of a page, with an example', () => {
    const operation = document.paths['/qrcodes/{id}/page/logo']?.['put'];
    const alt = operation?.parameters.find(({ name }) => name === 'alt');
    expect(alt).to.deep.include({ in: 'query', required: true, example: 'Café Linden' });
  });

  it('has an example for each such parameter', () => {
    const required = each.flatMap(({ operation }) => operation.parameters.filter(isInRequest));
    expect(required).to.have.length.above(0);
    for (const parameter of required) expect(parameter, parameter.name).to.have.property('example');
  });

  const isInRequest = ({ in: place, required }: ParameterObject) => required && place !== 'path';

  function bodyOf({ requestBody }: OperationObject): Schema | undefined {
    if (!requestBody || !('$ref' in requestBody)) return undefined;
    const name = requestBody.$ref.split('/').at(-1) ?? '';
    return document.components.requestBodies[name]?.content?.['application/json']?.schema;
  }

  const follow = (schema: Schema): Schema =>
    schema.$ref === undefined
      ? schema
      : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema);

  /** The object properties, and arrays of objects, each with empty objects. Former names stand for one of the others. */
  function hollow(schema: Schema): object {
    const parts = Object.entries(schema.properties ?? {})
      .filter(([, { deprecated }]) => !deprecated)
      .map(([name, part]) => [name, follow(part)] as const);
    return Object.fromEntries(
      parts.flatMap(([name, part]): [string, object][] => {
        if (part.properties) return [[name, hollow(part)]];
        const items = part.items && follow(part.items);
        return items?.properties ? [[name, [hollow(items)]]] : [];
      }),
    );
  }

  /** As errors name them where the request has the objects of `hollow`. */
  function requiredIn(schema: Schema, prefix = ''): string[] {
    const given = Object.keys(hollow(schema));
    const missing = (schema.required ?? []).filter((name) => !given.includes(name));
    const nested = given.flatMap((name) => {
      const part = follow(schema.properties?.[name] as Schema);
      return part.items
        ? requiredIn(follow(part.items), `${prefix}${name}[0].`)
        : requiredIn(part, `${prefix}${name}.`);
    });
    return [...missing.map((name) => `${prefix}${name}`), ...nested];
  }
});
