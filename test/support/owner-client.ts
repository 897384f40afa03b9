import { type ApiClient, apiClient } from './api-client.ts';
import type { TestService } from './service.ts';

const callsAKey = 90;
let owners = 0;

/** A client of one user that takes a new key before the hourly quota of the last one is spent. */
export function ownerClient(service: TestService): ApiClient {
  owners += 1;
  const email = `owner-${owners}@example.com`;
  let calls = 0;
  let client: Promise<ApiClient> | undefined;
  return async (path, call) => {
    if (!client || calls % callsAKey === 0) {
      client = service.makeKey({ email }).then((key) => apiClient(service.url, key));
    }
    calls += 1;
    return (await client)(path, call);
  };
}
