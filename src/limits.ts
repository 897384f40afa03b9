/**
 * Everything that a workspace may only have or do so often. The defaults of its plan are changed by the configuration
 * (FREE_LIMITS, PRO_LIMITS), and those by what an operator has set for the workspace.
 */
export const planNames = ['free', 'pro'] as const;
export type Plan = (typeof planNames)[number];

interface LimitDefinition extends Record<Plan, number> {
  /** For pages. */
  title: string;
  /** For the API. */
  description: string;
  least: number;
  most: number;
}

/** A window has the time of each request of its hour and is written anew by each: 5,000 of them take 30 ms. */
const mostPerHour = 5_000;

export const limitDefinitions = {
  requestsPerHour: {
    title: 'API requests per hour and key',
    description: 'Requests of one API key in the last hour.',
    least: 1,
    most: mostPerHour,
    free: 20,
    pro: 100,
  },
  formsPerHour: {
    title: 'Saves, uploads and prints per hour',
    description:
      'Forms of the pages in the last hour that create codes, prove designs, upload files or print: what costs a request here.',
    least: 1,
    most: mostPerHour,
    free: 100,
    pro: 500,
  },
  codes: {
    title: 'Codes',
    description: 'QR codes of the workspace.',
    least: 0,
    most: 10_000_000,
    free: 1_000,
    pro: 50_000,
  },
  fileMb: {
    title: 'Uploaded files (MB)',
    description: 'Size of all files and photos of the workspace in MB (1,048,576 bytes).',
    least: 0,
    most: 1_000_000,
    free: 20,
    pro: 1_024,
  },
  webhooks: {
    title: 'Webhook endpoints',
    description: 'Webhook endpoints of the workspace.',
    least: 0,
    most: 1_000,
    free: 3,
    pro: 20,
  },
  keys: {
    title: 'Active API keys',
    description: 'API keys of the workspace that are not revoked.',
    least: 0,
    most: 1_000,
    free: 25,
    pro: 25,
  },
  workspaces: {
    title: 'Workspaces of one owner',
    description: 'Workspaces that an owner of this one may own. The highest of their workspaces counts.',
    least: 1,
    most: 1_000,
    free: 3,
    pro: 10,
  },
  members: {
    title: 'Members',
    description: 'People in the workspace. With 1, nobody can be invited.',
    least: 1,
    most: 10_000,
    free: 10,
    pro: 100,
  },
  invitations: {
    title: 'Open invitations',
    description: 'Invitations that can still be accepted.',
    least: 0,
    most: 10_000,
    free: 20,
    pro: 200,
  },
  invitationMailsPerDay: {
    title: 'Invitations by email per day',
    description: 'Emails with an invitation in the last 24 hours.',
    least: 0,
    most: 10_000,
    free: 20,
    pro: 200,
  },
} as const satisfies Record<string, LimitDefinition>;

export type LimitName = keyof typeof limitDefinitions;
export type Limits = Record<LimitName, number>;
export type PlanLimits = Record<Plan, Limits>;

export const limitNames = Object.keys(limitDefinitions) as LimitName[];

/** `limits` is null where an account has those of its plan. */
export interface LimitedAccount {
  plan: Plan;
  limits: Partial<Limits> | null;
}

/** Requests per hour and client address without a valid key. */
export const anonymousHourlyQuota = 60;

const defaultsOf = (plan: Plan) =>
  Object.freeze(Object.fromEntries(limitNames.map((name) => [name, limitDefinitions[name][plan]])) as Limits);

export const defaultLimits: Readonly<PlanLimits> = { free: defaultsOf('free'), pro: defaultsOf('pro') };

export function limitsOf({ plan, limits }: LimitedAccount, ofPlans: PlanLimits): Limits {
  return { ...ofPlans[plan], ...limits };
}

/** What a limit must be, or undefined where the value is one. */
export function limitError(name: LimitName, value: string): string | undefined {
  const { least, most } = limitDefinitions[name];
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  return number >= least && number <= most
    ? undefined
    : `must be a whole number from ${least} to ${most}, not "${value}"`;
}

/** Reads `codes=5000,webhooks=10`. Every error starts with a verb. */
export function parseLimits(text: string): { limits: Partial<Limits>; errors: string[] } {
  const limits: Partial<Limits> = {};
  const errors: string[] = [];
  for (const part of text.split(',')) {
    const [given = '', value = ''] = part.split('=', 2).map((each) => each.trim());
    const name = limitNames.find((each) => each === given);
    const error = name && limitError(name, value);
    if (!name)
      errors.push(
        `must have the form codes=5000,webhooks=10 with ${limitNames.join(', ')}; "${given}" is none of them`,
      );
    else if (name in limits) errors.push(`has ${name} twice`);
    else if (error) errors.push(`has a wrong ${name}: it ${error}`);
    else limits[name] = Number(value);
  }
  return { limits, errors };
}
