import { allItems, everyItem, type Page, queryString } from './paging.ts';
import type { components, operations } from './schema.ts';
import type { ApiRequest, RequestOptions } from './send.ts';
import { matching, type VersionOptions } from './versions.ts';

type Schemas = components['schemas'];
type RequestBodies = components['requestBodies'];

export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type WebhookEndpointWithSecret = Schemas['WebhookEndpointWithSecret'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookDeliveryDetail = Schemas['WebhookDeliveryDetail'];
export type WebhookReplay = Schemas['WebhookReplay'];
export type NewWebhookEndpoint = RequestBodies['NewWebhookEndpoint']['content']['application/json'];
export type WebhookEndpointChanges = RequestBodies['WebhookEndpointChanges']['content']['application/json'];
export type WebhooksQuery = NonNullable<operations['listWebhooks']['parameters']['query']>;
export type DeliveriesQuery = NonNullable<operations['listWebhookDeliveries']['parameters']['query']>;

/** The operations on webhook endpoints. `call` sends a request and parses its response. */
export function createWebhooks(
  call: <Result>(request: ApiRequest) => Promise<{ result: Result; etag: string }>,
) {
  const pathOf = (id: string) => `/webhooks/${encodeURIComponent(id)}`;
  const deliveryPathOf = (id: string) => `/webhook-deliveries/${encodeURIComponent(id)}`;
  const get = async <Result>(path: string, options: RequestOptions) =>
    (await call<Result>({ method: 'GET', path, ...options })).result;
  const post = async <Result>(path: string, body: unknown, options: RequestOptions) =>
    (await call<Result>({ method: 'POST', path, body, ...options })).result;

  const deliveriesPage = (
    id: string,
    query: DeliveriesQuery = {},
    options: RequestOptions = {},
  ): Promise<Page<WebhookDelivery>> => get(`${pathOf(id)}/deliveries${queryString(query)}`, options);

  const listPage = (
    query: WebhooksQuery = {},
    options: RequestOptions = {},
  ): Promise<Page<WebhookEndpoint>> => get(`/webhooks${queryString(query)}`, options);

  return {
    /** The only response with the `secret`, except for `rotateSecret`. */
    create: (
      endpoint: NewWebhookEndpoint,
      options: RequestOptions = {},
    ): Promise<WebhookEndpointWithSecret> => post('/webhooks', endpoint, options),

    /** All of them: there are few. */
    list: (options: RequestOptions = {}): Promise<WebhookEndpoint[]> =>
      allItems((cursor) => listPage(cursor === undefined ? {} : { cursor }, options)),

    listPage,

    read: (id: string, options: RequestOptions = {}): Promise<WebhookEndpoint> => get(pathOf(id), options),

    /** With the ETag, for `ifMatch`. */
    async readVersion(
      id: string,
      options: RequestOptions = {},
    ): Promise<{ endpoint: WebhookEndpoint; etag: string }> {
      const { result, etag } = await call<WebhookEndpoint>({ method: 'GET', path: pathOf(id), ...options });
      return { endpoint: result, etag };
    },

    async update(
      id: string,
      changes: WebhookEndpointChanges,
      { ifMatch, ...options }: VersionOptions = {},
    ): Promise<WebhookEndpoint> {
      const request = {
        method: 'PATCH' as const,
        path: pathOf(id),
        body: changes,
        headers: matching(ifMatch),
      };
      return (await call<WebhookEndpoint>({ ...request, ...options })).result;
    },

    async delete(id: string, { ifMatch, ...options }: VersionOptions = {}): Promise<void> {
      await call({ method: 'DELETE', path: pathOf(id), headers: matching(ifMatch), ...options });
    },

    /** For 24 hours, calls carry the signatures of both secrets. */
    async rotateSecret(
      id: string,
      { ifMatch, ...options }: VersionOptions = {},
    ): Promise<WebhookEndpointWithSecret> {
      const path = `${pathOf(id)}/rotate-secret`;
      const request = { method: 'POST' as const, path, headers: matching(ifMatch) };
      return (await call<WebhookEndpointWithSecret>({ ...request, ...options })).result;
    },

    /** Sends a `ping`. */
    test: (id: string, options: RequestOptions = {}): Promise<WebhookDelivery> =>
      post(`${pathOf(id)}/test`, undefined, options),

    /** Sends what happened in a period again, and scans that were missed. */
    replay: (
      id: string,
      { from, to }: { from: Date | string; to: Date | string },
      options: RequestOptions = {},
    ): Promise<WebhookReplay> => post(`${pathOf(id)}/replay`, { from, to }, options),

    /** What was sent in the last 30 days, newest first. `limit` is the size of a page. */
    deliveries: (id: string, query: Omit<DeliveriesQuery, 'cursor'> = {}, options: RequestOptions = {}) =>
      everyItem((cursor) =>
        deliveriesPage(id, { ...query, ...(cursor !== undefined && { cursor }) }, options),
      ),

    deliveriesPage,

    /** With its request and responses. */
    readDelivery: (id: string, options: RequestOptions = {}): Promise<WebhookDeliveryDetail> =>
      get(deliveryPathOf(id), options),

    retryDelivery: (id: string, options: RequestOptions = {}): Promise<WebhookDelivery> =>
      post(`${deliveryPathOf(id)}/retry`, undefined, options),
  };
}
