import type { Static } from 'typebox';
import { v7 as uuidv7 } from 'uuid';
import type { Language } from '../http/preferred-language.ts';
import type { FactorChange } from '../mail/mail-texts.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';
import { Type } from '../schema.ts';
import { defineQueue } from './queue-definition.ts';

/** What a mail is about. The worker looks up the rest, and makes the links: neither is in the queue. */
export type MailRequest =
  /** Whether there is such an account is for the worker to find out, so that a request takes the same time without one. */
  | { kind: 'password-reset'; email: string; language: Language }
  | { kind: 'sign-in-link'; email: string; language: Language }
  /** `next`: the page to open then. */
  | { kind: 'sign-up'; email: string; language: Language; next?: string | undefined }
  | { kind: 'password-changed'; userId: string }
  | { kind: 'confirm-email'; userId: string }
  /** To the old address. */
  | { kind: 'email-changed'; userId: string; oldEmail: string }
  /** To an owner of the workspace. Without one, the previous release has queued it: the workspace has the id of the account. */
  | { kind: 'webhook-disabled'; userId: string; workspaceId?: WorkspaceId; endpointId: string }
  /** To somebody who was a member of it. */
  | { kind: 'workspace-deleted'; userId: string; name: string }
  | { kind: 'second-factor-changed'; userId: string; change: FactorChange }
  /** Ready, or failed. */
  | { kind: 'export-finished'; userId: string; workspaceId?: WorkspaceId; requestId: string }
  /** To the address of the invitation. */
  | { kind: 'invitation'; invitationId: string }
  /** To an owner: `memberId` has accepted an invitation. */
  | { kind: 'member-joined'; userId: string; workspaceId: string; memberId: string }
  | { kind: 'member-removed'; userId: string; workspaceId: string }
  | { kind: 'role-changed'; userId: string; workspaceId: string };

/** `sealed` is the encrypted request, because it may contain addresses. */
const contract = Type.Object({
  id: Type.String({ maxLength: 100 }),
  kind: Type.String({ maxLength: 40 }),
  sealed: Type.String({ maxLength: 10_000 }),
  /** How often the mail was sent without an answer of the server. */
  unanswered: Type.Optional(Type.Integer({ minimum: 0 })),
});

export type MailJob = Static<typeof contract>;

const firstDelayMs = 2_000;
const longestDelayMs = 15 * 60_000;

export const mailQueue = defineQueue({
  name: 'mail',
  jobName: 'send',
  description: 'Emails waiting to be sent',
  contract,
  concurrency: 4,
  // 47 minutes in all.
  retries: {
    attempts: 12,
    delayMs: (attempt) => Math.min(longestDelayMs, firstDelayMs * 2 ** (Math.min(attempt, 10) - 1)),
  },
  retention: { removeOnComplete: true, removeOnFail: { count: 1_000 } },
  items: { noun: 'email', count: () => 1 },
  visibleData: ({ kind }) => ({ kind }),
  consequences: {
    late: 'people wait for emails, such as the link to a new password',
    failed: 'their emails were not sent',
    noWorker: 'no emails are sent until one is',
  },
});

/** Among jobs with the same id, only one is sent. */
export function packMail(
  request: MailRequest,
  seal: (text: string) => string,
  id: string = uuidv7(),
): MailJob {
  return { id, kind: request.kind, sealed: seal(JSON.stringify(request)) };
}

export function unpackMail({ sealed }: MailJob, open: (sealed: string) => string): MailRequest {
  return JSON.parse(open(sealed)) as MailRequest;
}
