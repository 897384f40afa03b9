/** Requests an hour, by plan. */
export const hourlyQuota = { free: 20, pro: 100 } as const;

export type Plan = keyof typeof hourlyQuota;

export const planNames = Object.keys(hourlyQuota) as Plan[];

/** For requests without a valid key, counted by client address. */
export const anonymousHourlyQuota = 60;
