/** The parts of the OpenAPI document that the page shows. Every `$ref` points into the document itself. */
export interface OpenApiDocument {
  info: { title: string; version: string; summary: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, HeaderObject>;
    responses: Record<string, ResponseObject>;
    requestBodies: Record<string, JsonContent>;
    securitySchemes: Record<string, { bearerFormat: string; description: string }>;
  };
}

interface Schema {
  $ref?: string;
  /** An array where the value may be null. */
  type?: string | string[];
  enum?: string[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
  default?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  'x-expects'?: string;
}

interface HeaderObject {
  description: string;
  schema: Schema;
}

interface JsonContent {
  content?: { 'application/json': { schema: Schema; example?: unknown } };
}

interface ResponseObject extends JsonContent {
  $ref?: string;
  description: string;
  headers?: Record<string, unknown>;
}

interface OperationObject {
  operationId: string;
  summary: string;
  description: string;
  parameters: { name: string; in: string; required: boolean; description: string; schema: Schema }[];
  /** Fields, or a file of one of several media types. */
  requestBody?: { $ref: string } | { content: Record<string, unknown> };
  responses: Record<string, ResponseObject>;
}

export interface ShownField {
  name: string;
  type: string;
  required: boolean;
  description: string;
  /** Bounds, pattern and default. */
  notes: string[];
}

export interface ShownResponse {
  status: string;
  description: string;
  headers: string[];
  fields: ShownField[];
  /** JSON, indented. */
  example: string | undefined;
}

export interface ShownOperation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: { place: string; fields: ShownField[] }[];
  body: ShownField[];
  curl: string;
  success: ShownResponse;
  /** The errors of this operation; `Reference.errors` describes each of them once. */
  errors: { status: string; description: string }[];
}

export interface Reference {
  summary: string;
  description: string;
  version: string;
  serverUrl: string;
  authentication: string;
  keyFormat: string;
  operations: ShownOperation[];
  errors: ShownResponse[];
  headers: ShownField[];
}

/** Prepares the document for the page: resolves references and flattens nested fields. */
export function readReference(document: OpenApiDocument): Reference {
  const { info, components } = document;
  const serverUrl = document.servers[0]?.url ?? '';
  const errors = new Map<string, ShownResponse>();

  const named = <Part>(parts: Record<string, Part>, ref: string) =>
    parts[ref.slice(ref.lastIndexOf('/') + 1)] as Part;
  const follow = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : named(components.schemas, schema.$ref);

  /** The fields of an object, each followed by its nested fields. */
  function fieldsOf(given: Schema | undefined, prefix = ''): ShownField[] {
    if (!given) return [];
    const { properties = {}, required = [] } = follow(given);
    return Object.entries(properties).flatMap(([name, part]) => {
      const field = showField(`${prefix}${name}`, part, required.includes(name));
      const schema = follow(part);
      if (schema.items) return [field, ...fieldsOf(schema.items, `${prefix}${name}[].`)];
      return [field, ...fieldsOf(schema, `${prefix}${name}.`)];
    });
  }

  function showField(name: string, part: Schema, required: boolean, description?: string): ShownField {
    const schema = follow(part);
    return {
      name,
      type: typeOf(schema),
      required,
      description: description ?? schema.description ?? '',
      notes: [...boundsOf(schema), ...defaultOf(schema)],
    };
  }

  function typeOf(given: Schema): string {
    const schema = follow(given);
    if (schema.items) return `array of ${typeOf(schema.items)}s`;
    if (schema.enum) return 'enum';
    return [schema.type ?? 'any'].flat().join(' or ');
  }

  function showResponse(status: string, response: ResponseObject): ShownResponse {
    const json = response.content?.['application/json'];
    return {
      status,
      description: response.description,
      headers: Object.keys(response.headers ?? {}),
      fields: fieldsOf(json?.schema),
      example: json?.example === undefined ? undefined : JSON.stringify(json.example, null, 2),
    };
  }

  function showOperation(path: string, method: string, operation: OperationObject): ShownOperation {
    const { requestBody } = operation;
    const isFile = requestBody !== undefined && 'content' in requestBody;
    const body =
      requestBody && !isFile
        ? named(components.requestBodies, requestBody.$ref).content?.['application/json']
        : undefined;
    const [fileType] = isFile ? Object.keys(requestBody.content) : [];
    const [[status, success] = ['', { description: '' }]] = Object.entries(operation.responses).filter(
      ([code]) => code.startsWith('2'),
    );
    const failures = Object.entries(operation.responses).filter(([code]) => Number(code) >= 400);
    return {
      id: operation.operationId,
      method: method.toUpperCase(),
      path: `${new URL(serverUrl).pathname}${path}`,
      summary: operation.summary,
      description: operation.description,
      parameters: ['path', 'query', 'header'].map((place) => ({
        place,
        fields: operation.parameters
          .filter((parameter) => parameter.in === place)
          .map(({ name, schema, required, description }) => showField(name, schema, required, description)),
      })),
      body: fieldsOf(body?.schema),
      curl: curlOf(method, `${serverUrl}${path}`, { body: body?.example, fileType }),
      success: showResponse(status, success),
      errors: failures.map(([code, given]) => {
        const response = given.$ref === undefined ? given : named(components.responses, given.$ref);
        if (!errors.has(code)) errors.set(code, showResponse(code, response));
        return { status: code, description: response.description };
      }),
    };
  }

  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => showOperation(path, method, operation)),
  );
  const [security] = Object.values(components.securitySchemes);
  return {
    summary: info.summary,
    description: info.description,
    version: info.version,
    serverUrl,
    authentication: security?.description ?? '',
    keyFormat: security?.bearerFormat ?? '',
    operations,
    errors: [...errors.values()].toSorted((a, b) => Number(a.status) - Number(b.status)),
    headers: Object.entries(components.headers).map(([name, { description, schema }]) =>
      showField(name, schema, false, description),
    ),
  };
}

function boundsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength } = schema;
  const notes = [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    schema.enum && `one of ${schema.enum.join(', ')}`,
    schema['x-expects'] ?? schema.format ?? (schema.pattern && `matches ${schema.pattern}`),
  ];
  return notes.filter((note) => note !== undefined && note !== '') as string[];
}

function range(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  if (min !== undefined && max !== undefined) return `${min} to ${max}${unit}`;
  if (min !== undefined) return `at least ${min}${min === 1 ? unit.replace(/s$/, '') : unit}`;
  return max === undefined ? undefined : `at most ${max}${unit}`;
}

function defaultOf(schema: Schema): string[] {
  return schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`];
}

/** Works when pasted into a shell where KEY is set, and ID where the path has one. */
function curlOf(
  method: string,
  url: string,
  { body, fileType }: { body: unknown; fileType: string | undefined },
): string {
  const address = url.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const lines = [`curl "${address}"`, '-H "Authorization: Bearer $KEY"'];
  if (method !== 'get' && method !== 'post') lines[0] = `curl -X ${method.toUpperCase()} "${address}"`;
  if (body !== undefined) {
    // Inside single quotes the shell interprets nothing but the quote itself.
    const json = JSON.stringify(body).replaceAll("'", "'\\''");
    lines.push("-H 'Content-Type: application/json'", `-d '${json}'`);
  }
  if (fileType !== undefined)
    lines.push(`-H 'Content-Type: ${fileType}'`, `--data-binary @file.${fileType.split('/')[1]}`);
  return lines.join(' \\\n  ');
}
