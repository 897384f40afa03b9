export interface ShownField {
  name: string;
  type: string;
  required: boolean;
  description: string;
  /** Bounds, pattern and default. */
  notes: string[];
  /** Of a field to which values may be added: those that its description explains. */
  values: [value: string, meaning: string][];
}

export interface ShownResponse {
  status: string;
  description: string;
  headers: string[];
  fields: ShownField[];
  /** JSON, indented. */
  example: string | undefined;
  /** The media type, where the body is a file. */
  fileType: string | undefined;
}

export interface ShownEvent {
  name: string;
  summary: string;
  fields: ShownField[];
  example: string | undefined;
}

export interface ShownOperation {
  id: string;
  tag: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  /** What an API key must be allowed to do. */
  scope: string;
  parameters: { place: string; fields: ShownField[] }[];
  body: ShownField[];
  /** The request of the examples. */
  request: ExampleRequest;
  /** The media types of a file that is the body. */
  fileTypes: string[];
  success: ShownResponse;
  /** The errors of this operation; `Reference.errors` describes each of them once. */
  errors: { status: string; description: string }[];
}

/** What the examples send, in whichever language. */
export interface ExampleRequest {
  method: string;
  /** With the names of what the reader sets in braces, such as `{id}`. */
  url: string;
  hasKey: boolean;
  /** Sent as JSON. */
  body?: unknown;
  /** The media type of a file to send. */
  fileType?: string | undefined;
  /** The media type of the response. None where it has no body. */
  responseType?: string | undefined;
}

/** The operations of a resource: one page. */
export interface ShownResource {
  name: string;
  description: string;
  operations: ShownOperation[];
}

export interface Reference {
  summary: string;
  description: string;
  version: string;
  serverUrl: string;
  authentication: string;
  keyFormat: string;
  /** What each scope of a key allows. */
  scopes: [scope: string, meaning: string][];
  /** In the order of the document's tags. */
  resources: ShownResource[];
  events: { description: string; headers: ShownField[]; list: ShownEvent[] };
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
      // A former name: its fields are those of the new one.
      if (schema.deprecated) return [field];
      if (schema.items) return [field, ...fieldsOf(schema.items, `${prefix}${name}[].`)];
      return [field, ...fieldsOf(schema, `${prefix}${name}.`)];
    });
  }

  function showField(name: string, part: Schema, required: boolean, description?: string): ShownField {
    const schema = follow(part);
    const explained = explainedValues(schema);
    return {
      name,
      type: typeOf(schema),
      required,
      description: description ?? explained.description,
      values: explained.values,
      notes: [...(schema.deprecated ? ['deprecated'] : []), ...boundsOf(schema), ...defaultOf(schema)],
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
      example: exampleOf(json),
      fileType: Object.keys(response.content ?? {}).find((type) => type !== 'application/json'),
    };
  }

  const showParameter = ({ name, schema, required, description }: ParameterObject) =>
    showField(name, schema, required, description);

  function showOperation(path: string, method: string, operation: OperationObject): ShownOperation {
    const { requestBody } = operation;
    const isFile = requestBody !== undefined && 'content' in requestBody;
    const body =
      requestBody && !isFile
        ? named(components.requestBodies, requestBody.$ref).content?.['application/json']
        : undefined;
    const fileTypes = isFile ? Object.keys(requestBody.content) : [];
    const [[status, success] = ['', { description: '' }]] = Object.entries(operation.responses).filter(
      ([code]) => code.startsWith('2'),
    );
    const failures = Object.entries(operation.responses).filter(([code]) => Number(code) >= 400);
    const shown = showResponse(status, success);
    return {
      id: operation.operationId,
      tag: operation.tags[0] ?? '',
      method: method.toUpperCase(),
      path: `${new URL(serverUrl).pathname}${path}`,
      summary: operation.summary,
      description: operation.description,
      scope: Object.values(operation.security[0] ?? {})
        .flat()
        .join(', '),
      parameters: ['path', 'query', 'header'].map((place) => ({
        place,
        fields: operation.parameters.filter((parameter) => parameter.in === place).map(showParameter),
      })),
      body: fieldsOf(body?.schema),
      request: {
        method: method.toUpperCase(),
        url: `${serverUrl}${path}${exampleQuery(operation.parameters)}`,
        hasKey: true,
        body: body?.example,
        fileType: fileTypes[0],
        responseType: shown.fileType ?? (shown.example === undefined ? undefined : 'application/json'),
      },
      fileTypes,
      success: shown,
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
  const events = Object.entries(document.webhooks);
  const [security] = Object.values(components.securitySchemes);
  return {
    summary: info.summary,
    description: info.description,
    version: info.version,
    serverUrl,
    authentication: security?.description ?? '',
    keyFormat: security?.bearerFormat ?? '',
    scopes: Object.entries(security?.['x-scopes'] ?? {}),
    resources: document.tags.map(({ name, description }) => ({
      name,
      description,
      operations: operations.filter(({ tag }) => tag === name),
    })),
    events: {
      // All of them have the same description and headers.
      description: events[0]?.[1].post.description ?? '',
      headers: events[0]?.[1].post.parameters.map(showParameter) ?? [],
      list: events.map(([name, { post }]) => ({
        name,
        summary: post.summary,
        fields: fieldsOf(post.requestBody.content?.['application/json']?.schema),
        example: exampleOf(post.requestBody.content?.['application/json']),
      })),
    },
    errors: [...errors.values()].toSorted((a, b) => Number(a.status) - Number(b.status)),
    headers: Object.entries(components.headers).map(([name, { description, schema }]) =>
      showField(name, schema, false, description),
    ),
  };
}

/** The parameters that a request cannot do without. */
function exampleQuery(parameters: ParameterObject[]): string {
  const given = parameters.filter((parameter) => parameter.in === 'query' && parameter.example !== undefined);
  const parts = given.map(({ name, example = '' }) => `${name}=${encodeURIComponent(example)}`);
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}

function exampleOf(json: { example?: unknown } | undefined): string | undefined {
  return json?.example === undefined ? undefined : JSON.stringify(json.example, null, 2);
}

/** Takes the list of values from the end of a description, where each is "`value`: meaning". */
function explainedValues({
  description = '',
  'x-extensible-enum': names = [],
}: Schema): Pick<ShownField, 'description' | 'values'> {
  const starts = names.map((name) => description.indexOf(`\`${name}\`: `));
  if (names.length === 0 || starts.includes(-1)) return { description, values: [] };
  return {
    description: description.slice(0, starts[0]).trim(),
    values: names.map((name, index) => {
      const [, meaning = ''] = description.slice(starts[index], starts[index + 1]).split(`\`${name}\`: `);
      return [name, meaning.trim()];
    }),
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

/** The parts of the OpenAPI document that the page shows. Every `$ref` points into the document itself. */
export interface OpenApiDocument {
  info: { title: string; version: string; summary: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  /** The requests that the service sends, by event. */
  webhooks: Record<string, { post: EventObject }>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, HeaderObject>;
    responses: Record<string, ResponseObject>;
    requestBodies: Record<string, JsonContent>;
    securitySchemes: Record<
      string,
      { bearerFormat: string; description: string; 'x-scopes': Record<string, string> }
    >;
  };
}

export interface Schema {
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
  deprecated?: boolean;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  'x-expects'?: string;
  'x-extensible-enum'?: string[];
}

interface HeaderObject {
  description: string;
  schema: Schema;
}

interface JsonContent {
  /** JSON, or a file of another media type. */
  content?: { 'application/json'?: { schema: Schema; example?: unknown } };
}

interface ResponseObject extends JsonContent {
  $ref?: string;
  description: string;
  headers?: Record<string, unknown>;
}

export interface ParameterObject {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: Schema;
  example?: string | number | boolean;
}

interface EventObject {
  summary: string;
  description: string;
  parameters: ParameterObject[];
  requestBody: JsonContent;
}

export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  /** The scopes that are needed, by the name of the scheme. */
  security: Record<string, string[]>[];
  parameters: ParameterObject[];
  /** Fields, or a file of one of several media types. */
  requestBody?: { $ref: string } | { content: Record<string, unknown> };
  responses: Record<string, ResponseObject>;
}
