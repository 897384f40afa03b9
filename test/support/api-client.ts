import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { loadConfig } from '../../src/config.ts';
import { buildOpenApi } from '../../src/web/api/openapi.ts';
import { operations } from '../../src/web/api/router.ts';

interface ApiAnswer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- held against the OpenAPI document before a test sees it
  body: any;
}

interface ApiCall {
  method?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

export type ApiClient = (path: string, call?: ApiCall) => Promise<ApiAnswer>;

interface ResponseObject {
  $ref?: string;
  headers?: Record<string, { required?: boolean }>;
  /** By media type, one of them. */
  content?: Record<string, { schema: object }>;
}

const document = closed(buildOpenApi(operations, loadConfig({}))) as {
  paths: Record<string, Record<string, { responses: Record<string, ResponseObject> }>>;
  components: {
    responses: Record<string, ResponseObject>;
    headers: Record<string, { required?: boolean }>;
  };
};

/** Clients must let a field pass that they do not know. Tests must not: the shapes of v1 stay as they are. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== 'object' || part === null) return part;
  const inner = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value)]));
  return 'properties' in part && 'type' in part ? { ...inner, additionalProperties: false } : inner;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addFormat('text', true);
ajv.addFormat('label', true);
ajv.addSchema({ $id: 'api', ...document });

/** Speaks to the API with a key. Every answer is held against the OpenAPI document: status, headers and body. */
export function apiClient(serviceUrl: string, key: string | undefined): ApiClient {
  return async (path, { method = 'GET', body, raw, headers = {} } = {}) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${serviceUrl}/api/v1${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
        ...(payload !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
    });
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : isJson(response) ? JSON.parse(text) : text,
    };
    expectDocumented(method, path, answer);
    return answer;
  };
}

const isJson = ({ headers }: Response) =>
  headers.get('Content-Type')?.startsWith('application/json') === true;

/** That the OpenAPI document names such an answer: its status, its headers, its body. */
export function expectDocumented(method: string, path: string, { status, headers, body }: ApiAnswer): void {
  const documented = findResponse(method, path, status);
  expect(
    documented,
    `${method} ${path} answers ${status}, which the OpenAPI document does not name`,
  ).to.not.equal(undefined);
  for (const [name, inline] of Object.entries(documented?.headers ?? {})) {
    if ((inline.required ?? document.components.headers[name]?.required) === false) continue;
    expect(headers.get(name), `header ${name} of ${method} ${path} → ${status}`).to.be.a('string');
  }
  const [type, content] = Object.entries(documented?.content ?? {})[0] ?? [];
  if (type !== undefined && type !== 'application/json') {
    expect(headers.get('content-type')?.split(';')[0]).to.equal(type);
    return;
  }
  const schema = content?.schema;
  if (!schema || method === 'HEAD') {
    expect(body).to.equal(undefined);
    return;
  }
  expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
  const validate = validatorOf(schema);
  expect(
    validate(body),
    `${method} ${path} → ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`,
  ).to.equal(true);
}

/** The response of the operation; for paths and methods that are none, the shared response with that status. */
function findResponse(method: string, path: string, status: number): ResponseObject | undefined {
  const [pathname = ''] = path.split('?');
  const isFixed = pathname in document.paths;
  const template = Object.keys(document.paths).find((candidate) =>
    isFixed
      ? candidate === pathname
      : new RegExp(`^${candidate.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = template ? document.paths[template]?.[verb] : undefined;
  const found = operation?.responses[status] ?? (operation ? undefined : sharedResponse(status));
  return found?.$ref ? document.components.responses[found.$ref.split('/').at(-1) ?? ''] : found;
}

function sharedResponse(status: number): ResponseObject | undefined {
  for (const methods of Object.values(document.paths)) {
    for (const { responses } of Object.values(methods)) {
      if (responses[status]?.$ref) return responses[status];
    }
  }
  return undefined;
}

const validators = new Map<string, ValidateFunction>();

/** Compiled once, however many answers are held against it. */
function validatorOf(schema: object): ValidateFunction {
  const absolute = JSON.stringify(schema).replaceAll('"#/', '"api#/');
  const validate = validators.get(absolute) ?? ajv.compile(JSON.parse(absolute) as object);
  validators.set(absolute, validate);
  return validate;
}
