import { bytesPerMb } from '../runtime/units.ts';

/** Requests per hour, by plan. */
export const hourlyQuota = { free: 20, pro: 100 } as const;

export type Plan = keyof typeof hourlyQuota;

export const planNames = Object.keys(hourlyQuota) as Plan[];

/** Webhook endpoints of an account, by plan. */
export const endpointQuota = { free: 3, pro: 20 } as const satisfies Record<Plan, number>;

/** Bytes of the uploaded files of an account, by plan. */
export const fileBytesQuota = { free: 20 * bytesPerMb, pro: 1024 * bytesPerMb } as const satisfies Record<
  Plan,
  number
>;

/** Requests per hour and client address without a valid key. */
export const anonymousHourlyQuota = 60;
