/** The parts of the OpenAPI document that the page shows. Every `$ref` points into the document itself. */
export interface OpenApiDocument {
  info: { title: string; version: string; summary: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  /** The requests that the service sends, by event. */
  webhooks: Record<string, { post: EventObject }>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, HeaderObject>;
    responses: Record<string, ResponseObject>;
    requestBodies: Record<string, JsonContent>;
    securitySchemes: Record<string, { bearerFormat: string; description: string }>;
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
}

interface HeaderObject {
  description: string;
  schema: Schema;
}

interface JsonContent {
  /** JSON, or a file of another media type. */
  content?: { 'application/json'?: { schema: Schema; example?: unknown } };
}

export interface ResponseObject extends JsonContent {
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
  parameters: ParameterObject[];
  /** Fields, or a file of one of several media types. */
  requestBody?: { $ref: string } | { content: Record<string, unknown> };
  responses: Record<string, ResponseObject>;
}
