import type { Static } from 'typebox';
import { findLimits, readUse } from '../../accounts/account-limits.ts';
import { limitDefinitions, planNames } from '../../limits.ts';
import { bytesPerMb } from '../../runtime/units.ts';
import { choice, Type } from '../../schema.ts';
import { operation } from './operation.ts';

const { requestsPerHour, formsPerHour, codes, webhooks, keys } = limitDefinitions;
const figure = (description: string) => Type.Integer({ minimum: 0, description });

export const accountShape = Type.Object(
  {
    plan: choice(planNames, 'The plan of the workspace, which an operator of the service sets.'),
    limits: Type.Object(
      {
        requestsPerHour: figure(requestsPerHour.description),
        formsPerHour: figure(formsPerHour.description),
        codes: figure(codes.description),
        fileBytes: figure('Size of all files and photos of the workspace.'),
        webhooks: figure(webhooks.description),
        keys: figure(keys.description),
      },
      { description: 'The most that the account may have or do. An operator may change each of them.' },
    ),
    use: Type.Object(
      {
        requests: figure('Requests of this API key in the last hour, this one included.'),
        forms: figure('Forms in the last hour that count for `formsPerHour`.'),
        codes: figure(
          'QR codes. May be more than the limit, if that was lowered: no more can be created then.',
        ),
        fileBytes: figure('Size of all files and photos.'),
        webhooks: figure('Webhook endpoints.'),
        keys: figure('API keys that are neither revoked nor expired.'),
      },
      { description: 'How much of each limit is used.' },
    ),
  },
  { description: 'What the account of an API key may have, and has.' },
);

const example: Static<typeof accountShape> = {
  plan: 'free',
  limits: {
    requestsPerHour: requestsPerHour.free,
    formsPerHour: formsPerHour.free,
    codes: codes.free,
    fileBytes: limitDefinitions.fileMb.free * bytesPerMb,
    webhooks: webhooks.free,
    keys: keys.free,
  },
  use: { requests: 3, forms: 0, codes: 12, fileBytes: 482_113, webhooks: 1, keys: 2 },
};

export const readAccount = operation({
  id: 'readAccount',
  method: 'get',
  path: '/account',
  scope: 'read',
  summary: 'Read the limits of the workspace',
  description:
    'Returns the plan of the workspace, its limits, and how much of them is used. A request that exceeds one of them gets the `code` `quota_exceeded`; too many requests per hour get 429.',
  success: { status: 200, description: 'The plan, limits and use.', schema: accountShape, example },
  async handle({ workspaceId, rateWindow }, { db, config }) {
    const [{ plan, limits }, use] = await Promise.all([
      findLimits(db, workspaceId, config.limits),
      readUse(db, workspaceId),
    ]);
    // Members and invitations are for people, whom no key can invite.
    const {
      fileMb,
      workspaces: _,
      members: __,
      invitations: ___,
      invitationMailsPerDay: ____,
      ...others
    } = limits;
    const { forms, codes: ownCodes, fileBytes, webhooks: ownWebhooks, keys: ownKeys } = use;
    return {
      plan,
      limits: { ...others, fileBytes: fileMb * bytesPerMb },
      use: {
        requests: rateWindow.used,
        forms,
        codes: ownCodes,
        fileBytes,
        webhooks: ownWebhooks,
        keys: ownKeys,
      },
    };
  },
});
