/** Requests per hour, by plan. */
export const hourlyQuota = { free: 20, pro: 100 } as const;

export type Plan = keyof typeof hourlyQuota;

export const planNames = Object.keys(hourlyQuota) as Plan[];

/** Requests per hour and client address without a valid key. */
export const anonymousHourlyQuota = 60;
