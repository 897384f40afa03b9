import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { scopes } from '../../../src/accounts/key-scopes.ts';
import { codeTypes } from '../../../src/codes/content/content-types.ts';
import { Type } from '../../../src/schema.ts';
import { buildOpenApi } from '../../../src/web/api/openapi.ts';
import { pageOf } from '../../../src/web/api/lists.ts';
import { operations as allOperations } from '../../../src/web/api/router.ts';
import { apiClient } from '../../support/api-client.ts';
import { errorCodes, expectWindow } from '../../support/expect-error.ts';
import { startService, type TestService } from '../../support/service.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- any JSON
type Json = any;

const every = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];

const createFields = [
  'id',
  'name',
  'type',
  'content',
  'shareToken',
  'shareUrl',
  'foregroundColor',
  'backgroundColor',
  'size',
  'errorCorrection',
  'category',
  'createdAt',
  'expiresAt',
];
const readFields = [...createFields, 'isPublic', 'isFavorite', 'scanCount', 'updatedAt'];

describe('GET /api/v1/openapi.json (decisions: Limits)', () => {
  let service: TestService;
  let headers: Headers;
  let document: Json;

  before(async () => {
    service = await startService();
    const response = await fetch(`${service.url}/api/v1/openapi.json`);
    expect(response.status).to.equal(200);
    headers = response.headers;
    document = await response.json();
  });
  after(() => service.stop());

  /** Resolves a `$ref`. */
  const resolve = (part: Json): Json =>
    part?.$ref
      ? resolve(
          (part.$ref as string)
            .split('/')
            .slice(1)
            .reduce((at: Json, key) => at[key], document),
        )
      : part;

  function operations(): { name: string; path: string; operation: Json }[] {
    return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        path,
        operation,
      })),
    );
  }
  const operationNamed = (name: string): Json => operations().find((each) => each.name === name)?.operation;
  const bodySchema = (name: string): Json =>
    resolve(operationNamed(name).requestBody).content['application/json'].schema;

  /** Every schema of the document, with the path to it. */
  function everySchema(): { at: string; schema: Json }[] {
    const found: { at: string; schema: Json }[] = [];
    function visit(part: Json, at: string): void {
      if (typeof part !== 'object' || part === null || at.endsWith('/example')) return;
      if ('type' in part || 'enum' in part || 'anyOf' in part) found.push({ at, schema: part });
      for (const [key, inner] of Object.entries(part)) visit(inner, `${at}/${key}`);
    }
    visit(document.components, '#/components');
    visit(document.paths, '#/paths');
    // A property may be named `type`, and so may the security scheme.
    return found.filter(
      ({ schema, at }) =>
        !at.endsWith('/properties') &&
        typeof schema.scheme !== 'string' &&
        !at.includes('/additionalProperties'),
    );
  }

  it('needs no key, is JSON and has the headers of every response below /api/ (8)', () => {
    expect(headers.get('Content-Type')).to.equal('application/json; charset=utf-8');
    expectWindow(headers);
    expect(headers.get('X-Request-Id')).to.be.a('string');
  });

  it('is not counted, neither against the address nor against a key that is sent', async () => {
    const nobody = apiClient(service.url, undefined);
    const remaining = async () => Number((await nobody('/qrcodes')).headers.get('X-RateLimit-Remaining'));
    const atFirst = await remaining();
    for (let asked = 0; asked < 5; asked += 1) await fetch(`${service.url}/api/v1/openapi.json`);
    expect(await remaining()).to.equal(atFirst - 1);

    const key = await service.makeKey();
    const withKey = { headers: { Authorization: `Bearer ${key}` } };
    expect((await fetch(`${service.url}/api/v1/openapi.json`, withKey)).status).to.equal(200);
    const first = await apiClient(service.url, key)('/qrcodes');
    expect(first.headers.get('X-RateLimit-Remaining')).to.equal('99');
  });

  it('is served with an invalid key, too', async () => {
    const wrong = { headers: { Authorization: 'Bearer nonsense' } };
    expect((await fetch(`${service.url}/api/v1/openapi.json`, wrong)).status).to.equal(200);
  });

  it('is a valid OpenAPI 3.1 document', async () => {
    expect(document.openapi).to.match(/^3\.1\.\d+$/);
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    expect(valid, JSON.stringify(errors)).to.equal(true);
    expect(validator.version).to.equal('3.1');
  });

  it('has no dangling reference and no unused component', () => {
    const text = JSON.stringify(document);
    const pointers = new Set([...text.matchAll(/"\$ref":"(#[^"]+)"/g)].map(([, pointer]) => pointer));
    for (const pointer of pointers) expect(resolve({ $ref: pointer }), pointer).to.be.an('object');
    for (const kind of ['schemas', 'requestBodies', 'headers', 'responses']) {
      for (const name of Object.keys(document.components[kind])) {
        expect(pointers, name).to.include(`#/components/${kind}/${name}`);
      }
    }
  });

  it('cannot be built with a request body or a response that is not a component', () => {
    const [example] = allOperations;
    if (!example) throw new Error('There is no operation');
    const build = (changes: Partial<Pick<typeof example, 'body' | 'success'>>) => () =>
      buildOpenApi([{ ...example, ...changes }], { baseUrl: 'https://qr.test', abuseContact: undefined });
    const unnamed = Type.Object({ total: Type.Integer() });
    const { success } = example;

    expect(build({})).to.not.throw();
    expect(build({ body: unnamed })).to.throw('Add the request body of createQrCode to `requestBodies`');
    const message = 'Add the response of createQrCode to `schemas`';
    expect(build({ success: { ...success, schema: unnamed } })).to.throw(message);
    expect(build({ success: { ...success, schema: pageOf(unnamed, 'Totals') } })).to.throw(message);
  });

  it('has the base URL with the version (9), a title and a license', () => {
    expect(document.servers).to.deep.equal([{ url: 'https://qr.test/api/v1' }]);
    expect(document.info.title).to.equal('Qrelay');
    expect(document.info.license.identifier).to.equal('MIT');
  });

  it('gives every schema a type, enums too, so that no generator emits `unknown`', () => {
    const schemas = everySchema();
    expect(schemas.filter(({ schema }) => schema.enum)).to.have.length.above(6);
    for (const { at, schema } of schemas) expect(schema.type, at).to.satisfy(isType);
  });
  const isType = (type: unknown) => typeof type === 'string' || (Array.isArray(type) && type.length === 2);

  it('describes every property, also those that may be null, where generators look for it', () => {
    for (const { at, schema } of everySchema()) {
      expect(schema, at).to.not.have.any.keys('anyOf', 'oneOf', 'allOf');
      if (/\/properties\/\w+$/.test(at)) expect(schema.description, at).to.be.a('string');
    }
  });

  it('says of what type the values of a change are, which are those of any field', () => {
    for (const name of ['before', 'after']) {
      const { anyOf } = document.components.schemas.Change.properties[name].additionalProperties;
      const types = (anyOf as Json[]).map(({ type }) => type);
      expect(types).to.have.members(['string', 'number', 'boolean', 'null', 'array', 'object']);
    }
  });

  it('allows new fields in responses, and none in requests (decisions: Additions to v1)', () => {
    for (const { at, schema } of everySchema()) {
      if (schema.type !== 'object') continue;
      const isRequest = at.includes('/requestBodies/');
      expect(schema.additionalProperties, at).to.equal(isRequest ? false : undefined);
    }
  });

  it('marks the headers of every response as required (8)', () => {
    const headersOf = document.components.headers;
    for (const name of every) expect(headersOf[name].required, name).to.equal(true);
    for (const name of ['Qrelay-Warning', 'Idempotency-Replayed'])
      expect(headersOf[name].required, name).to.equal(false);
  });

  it('groups the operations by described tags, and has no contact where none is set', () => {
    const known = (document.tags as Json[]).map(({ name }) => name as string);
    for (const { name, operation } of operations()) {
      expect(operation.tags, name).to.have.length(1);
      expect(known).to.include(operation.tags[0]);
    }
    expect(document.info).to.not.have.property('contact');
    expect(document.externalDocs.url).to.equal('https://qr.test/docs');
  });

  it('has a bearer scheme for every operation (5.1), with the scope that the key needs', () => {
    expect(document.security).to.deep.equal([{ apiKey: [] }]);
    const { apiKey } = document.components.securitySchemes;
    expect(apiKey).to.include({ type: 'http', scheme: 'bearer' });
    expect(Object.keys(apiKey['x-scopes'] as object)).to.deep.equal(scopes);
    for (const { name, operation } of operations()) {
      const needed = Object.values(operation.security[0] as object).flat();
      expect(operation.security, name).to.deep.equal([{ apiKey: needed }]);
      expect(needed, name).to.have.length(1);
      expect(scopes, name).to.include.members(needed);
    }
    expect(operationNamed('GET /qrcodes/{id}').security).to.deep.equal([{ apiKey: ['read'] }]);
  });

  it('has the operations of the contract (4) and those of the decisions, each with its own id', () => {
    expect(operations().map(({ name }) => name)).to.have.members([
      'POST /qrcodes',
      'POST /qrcodes/bulk',
      'PATCH /qrcodes/bulk',
      'DELETE /qrcodes/bulk',
      'GET /qrcodes/{id}',
      'GET /qrcodes/{id}/analytics',
      'GET /qrcodes/{id}/design',
      'PUT /qrcodes/{id}/design',
      'DELETE /qrcodes/{id}/design',
      'GET /qrcodes/{id}/design/logo',
      'PUT /qrcodes/{id}/design/logo',
      'DELETE /qrcodes/{id}/design/logo',
      'GET /qrcodes/{id}/file',
      'PUT /qrcodes/{id}/file',
      'DELETE /qrcodes/{id}/file',
      'GET /qrcodes/{id}/photo',
      'PUT /qrcodes/{id}/photo',
      'DELETE /qrcodes/{id}/photo',
      'GET /qrcodes/{id}/scans',
      'GET /qrcodes',
      'PATCH /qrcodes/{id}',
      'DELETE /qrcodes/{id}',
      'POST /qrcodes/{id}/restore',
      'GET /qrcodes/{id}/versions',
      'POST /qrcodes/{id}/versions/{version}/restore',
      'GET /audit',
      'GET /audit.csv',
      'GET /qrcodes/{id}/ending',
      'PATCH /qrcodes/{id}/ending',
      'POST /qrcodes/labels',
      'POST /qrcodes/files',
      'GET /qrcodes/{id}/page',
      'PATCH /qrcodes/{id}/page',
      'GET /qrcodes/{id}/page/logo',
      'PUT /qrcodes/{id}/page/logo',
      'DELETE /qrcodes/{id}/page/logo',
      'POST /styles',
      'GET /styles',
      'GET /styles/{id}',
      'PATCH /styles/{id}',
      'DELETE /styles/{id}',
      'GET /styles/{id}/logo',
      'PUT /styles/{id}/logo',
      'DELETE /styles/{id}/logo',
      'POST /styles/{id}/apply',
      'GET /style-applications/{id}',
      'POST /webhooks',
      'GET /webhooks',
      'GET /webhooks/{id}',
      'PATCH /webhooks/{id}',
      'DELETE /webhooks/{id}',
      'POST /webhooks/{id}/rotate-secret',
      'POST /webhooks/{id}/test',
      'POST /webhooks/{id}/replay',
      'GET /webhooks/{id}/deliveries',
      'GET /webhook-deliveries/{id}',
      'POST /webhook-deliveries/{id}/retry',
      'GET /account',
    ]);
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  const files = ['POST /qrcodes/labels', 'POST /qrcodes/files'];
  const acceptsKey = (name: string) =>
    (/^(?:POST|PATCH) /.test(name) && !files.includes(name)) || name === 'DELETE /qrcodes/bulk';
  /** What has a version that a request can be bound to. */
  const isBound = (name: string) =>
    /^(?:PUT|PATCH|DELETE) \/(?:qrcodes|styles|webhooks)\/\{id\}/.test(name) ||
    /\/(?:rotate-secret|restore)$/.test(name);

  it('has an optional Idempotency-Key for POST, PATCH and the bulk DELETE that change something, and for nothing else', () => {
    for (const { name, operation } of operations()) {
      const found = (operation.parameters as Json[]).find((each) => each.name === 'Idempotency-Key');
      if (!acceptsKey(name)) expect(found, name).to.equal(undefined);
      else expect(found, name).to.deep.include({ in: 'header', required: false });
    }
  });

  it('has If-None-Match for GET of a version, If-Match for its changes, and an ETag in the 304', () => {
    const conditional = (name: string) =>
      (operationNamed(name).parameters as Json[])
        .map((each) => each.name as string)
        .filter((each) => each.startsWith('If-'));
    expect(conditional('GET /qrcodes/{id}')).to.deep.equal(['If-None-Match']);
    expect(conditional('PATCH /qrcodes/{id}')).to.deep.equal(['If-Match']);
    expect(conditional('DELETE /qrcodes/{id}')).to.deep.equal(['If-Match']);
    expect(conditional('POST /qrcodes')).to.deep.equal([]);
    for (const { name } of operations())
      expect(conditional(name).includes('If-Match'), name).to.equal(isBound(name));
    const { headers: sent, content } = operationNamed('GET /qrcodes/{id}').responses[304];
    expect(Object.keys(sent)).to.have.members([...every, 'ETag']);
    expect(content).to.equal(undefined);
  });

  it('lists every error of every operation, with its headers and an example of one of the five codes (7)', () => {
    for (const { name, path, operation } of operations()) {
      const expected = [400, 401, 403, 405, 408, 429, 500, 503];
      if (path.includes('{id}') || files.includes(name) || name === 'POST /styles') expected.push(404);
      if (operation.requestBody) expected.push(413, 415);
      if (acceptsKey(name)) expected.push(409);
      if (isBound(name)) expected.push(412);
      const failures = Object.keys(operation.responses).filter((status) => Number(status) >= 400);
      expect(failures, name).to.have.members(expected.map(String));
      for (const status of failures) {
        const response = resolve(operation.responses[status]);
        const { schema, example } = response.content['application/json'];
        expect(schema, `${name} ${status}`).to.deep.equal({ $ref: '#/components/schemas/Error' });
        expect(example.error).to.be.oneOf(errorCodes);
        // One that timed out was not read: nobody is known to have sent it.
        expect(Object.keys(response.headers)).to.include.members(status === '408' ? ['X-Request-Id'] : every);
      }
    }
  });

  it('gives each status the code of the contract (7; decisions: Bodies and errors)', () => {
    const { responses } = operationNamed('PATCH /qrcodes/{id}');
    const codes = Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .map(([status, response]) => [
        status,
        resolve(response).content['application/json'].example.error as string,
      ]);
    expect(Object.fromEntries(codes)).to.deep.equal({
      400: 'validation_error',
      401: 'invalid_api_key',
      403: 'invalid_api_key',
      404: 'not_found',
      405: 'validation_error',
      408: 'validation_error',
      409: 'validation_error',
      412: 'validation_error',
      413: 'validation_error',
      415: 'validation_error',
      429: 'rate_limited',
      500: 'internal_error',
      503: 'internal_error',
    });
    expect(document.components.schemas.Error.properties.error.enum).to.have.members(errorCodes);
  });

  it('lists WWW-Authenticate for 401 and 403, Allow for 405 and Retry-After for 409, 429 and 503', () => {
    const { responses } = operationNamed('PATCH /qrcodes/{id}');
    for (const [status, header] of [
      [401, 'WWW-Authenticate'],
      [403, 'WWW-Authenticate'],
      [405, 'Allow'],
      [409, 'Retry-After'],
      [429, 'Retry-After'],
      [503, 'Retry-After'],
    ] as const) {
      expect(resolve(responses[status]).headers).to.have.property(header);
    }
  });

  it('lists the headers of every response on every success (8)', () => {
    const withEtag = [
      'POST /qrcodes',
      ...['/qrcodes/{id}', '/qrcodes/{id}/ending', '/qrcodes/{id}/page'].flatMap((path) => [
        `GET ${path}`,
        `PATCH ${path}`,
      ]),
      ...['/qrcodes/{id}', '/qrcodes/{id}/ending'].flatMap((path) => [`GET ${path}`, `PATCH ${path}`]),
      'GET /qrcodes/{id}/design',
      'PUT /qrcodes/{id}/design',
      'GET /qrcodes/{id}/design/logo',
      'PUT /qrcodes/{id}/design/logo',
      ...['/qrcodes/{id}/file', '/qrcodes/{id}/photo'].flatMap((path) => [`GET ${path}`, `PUT ${path}`]),
      'GET /qrcodes/{id}/page/logo',
      'PUT /qrcodes/{id}/page/logo',
      ...['/styles', '/webhooks'].flatMap((path) => [
        `POST ${path}`,
        `GET ${path}/{id}`,
        `PATCH ${path}/{id}`,
      ]),
      'GET /styles/{id}/logo',
      'PUT /styles/{id}/logo',
      'POST /webhooks/{id}/rotate-secret',
      'POST /qrcodes/{id}/restore',
      'POST /qrcodes/{id}/versions/{version}/restore',
    ];
    const withWarnings = [
      'POST /qrcodes',
      'PATCH /qrcodes/{id}',
      'DELETE /qrcodes/{id}/file',
      'POST /qrcodes/{id}/versions/{version}/restore',
      // Former names.
      ...files,
      'POST /qrcodes/bulk',
      'POST /styles',
      'POST /styles/{id}/apply',
      'POST /webhooks',
      'PATCH /webhooks/{id}',
    ];
    const begun = ['POST /styles/{id}/apply', 'POST /webhooks/{id}/test'];
    for (const { name, operation } of operations()) {
      const [success] = Object.entries<Json>(operation.responses).filter(([status]) => Number(status) < 400);
      const isLocated = success?.[0] === '201' || begun.includes(name);
      const optional = withWarnings.includes(name) ? ['Qrelay-Warning'] : [];
      if (acceptsKey(name)) optional.push('Idempotency-Replayed');
      if (withEtag.includes(name)) optional.push('ETag');
      if (isLocated) optional.push('Location');
      if (files.includes(name) || name === 'GET /audit.csv') optional.push('Content-Disposition');
      expect(Object.keys(success?.[1].headers), name).to.have.members([...every, ...optional]);
    }
  });

  it('has examples and defaults that match their own schemas', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addFormat('text', true);
    ajv.addFormat('label', true);
    ajv.addSchema({ $id: 'api', ...document });
    let examples = 0;
    function expectValid(schema: Json, value: Json, where: string): void {
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object);
      expect(validate(value), `${where}: ${ajv.errorsText(validate.errors)}`).to.equal(true);
      examples += 1;
    }
    function visit(part: Json, where: string): void {
      if (typeof part !== 'object' || part === null) return;
      if ('schema' in part && 'example' in part) expectValid(part.schema, part.example, where);
      if ('default' in part && ('type' in part || 'enum' in part || 'anyOf' in part)) {
        expectValid(part, part.default, where);
      }
      for (const [key, inner] of Object.entries(part)) visit(inner, `${where}/${key}`);
    }
    visit(document, '#');
    expect(examples).to.be.above(20);
  });

  it('has an example for every request and response body that is JSON', () => {
    for (const { name, operation } of operations()) {
      const bodies = [operation.requestBody, ...Object.values(operation.responses)].map(resolve);
      for (const body of bodies.filter((each) => each?.content)) {
        const types = Object.keys(body.content);
        if (files.includes(name) && /pdf|zip/.test(types.join())) continue;
        if (types.every((type) => /^image\/|^application\/pdf$|^text\/csv$/.test(type))) continue;
        expect(body.content['application/json'], name).to.have.property('example');
      }
    }
  });

  describe('matches the contract', () => {
    it('for the fields of a QR code, as created and as read (2.1)', () => {
      const { CreatedQrCode: created, QrCode: read } = document.components.schemas;
      expect(Object.keys(created.properties)).to.have.members(createFields);
      expect(created.required).to.have.members(createFields);
      expect(Object.keys(read.properties)).to.have.members(readFields);
      expect(read.required).to.have.members(readFields);
    });

    it('for the body of 4.1: required fields, defaults and limits (8)', () => {
      const { required, properties, additionalProperties } = bodySchema('POST /qrcodes');
      expect(required).to.have.members(['name', 'content']);
      expect(additionalProperties).to.equal(false);
      expect(properties.name).to.include({ maxLength: 100 });
      expect(properties.size).to.include({ type: 'integer', minimum: 128, maximum: 2048, default: 512 });
      expect(properties.type.default).to.equal('url');
      const contract = ['url', 'text', 'wifi', 'vcard', 'email', 'phone', 'sms', 'whatsapp', 'geo', 'social'];
      expect(properties.type.enum).to.deep.equal(codeTypes).and.include.members(contract);
      expect(properties.errorCorrection.default).to.equal('M');
      expect(properties.errorCorrection.enum).to.have.members(['L', 'M', 'Q', 'H']);
      expect(properties.foregroundColor.default).to.equal('#1a1410');
      expect(properties.backgroundColor.default).to.equal('#ffffff');
      expect(properties.category.default).to.equal(null);
      expect(properties.isPublic.default).to.equal(true);
      expect(properties.expiresAt).to.include({ format: 'date-time' });
    });

    it('for PATCH: every field is optional and has no default, type included (decisions: Life of a QR code)', () => {
      const { required = [], properties, additionalProperties } = bodySchema('PATCH /qrcodes/{id}');
      expect(required).to.deep.equal([]);
      expect(additionalProperties).to.equal(false);
      expect(properties.type.enum).to.deep.equal(bodySchema('POST /qrcodes').properties.type.enum);
      expect(properties.type.description).to.include('together with `content`');
      for (const field of Object.values(properties) as Json[]) expect(field).to.not.have.property('default');
    });

    it('for days and limit (4.3, 4.4, 8; decisions: Life of a QR code)', () => {
      const parameter = (operation: string, name: string): Json =>
        (operationNamed(operation).parameters as Json[]).find((each) => each.name === name);
      const days = parameter('GET /qrcodes/{id}/analytics', 'days');
      expect(days.required).to.equal(false);
      expect(days.schema).to.include({ type: 'integer', minimum: 1, maximum: 365, default: 30 });
      const scans = parameter('GET /qrcodes/{id}/scans', 'limit');
      expect(scans.schema).to.include({ type: 'integer', minimum: 1, maximum: 500, default: 100 });
      for (const { name, operation } of operations())
        if (operation.responses[200]?.content?.['application/json']?.schema?.properties?.nextCursor)
          for (const each of ['limit', 'cursor'])
            expect(parameter(name, each), `${name} ${each}`).to.be.an('object');
      const codes = parameter('GET /qrcodes', 'limit');
      expect(codes.schema).to.include({ type: 'integer', minimum: 1, maximum: 100, default: 20 });
    });
  });
});
