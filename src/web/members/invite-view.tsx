import { invitationDays, maxNoteLength, maxUsesOfLink } from '../../workspaces/invitations.ts';
import { roleNames, roles } from '../../workspaces/members.ts';
import { type FormState, Input, Select, TextArea } from '../ui/controls.tsx';
import { Form } from '../ui/layout.tsx';
import { commonNames, type CommonNames, maxEmails } from './invite-form.ts';

export interface InviteProps {
  mail: FormState;
  link: FormState;
  isFull: boolean;
  /** Maximum number of members. */
  limit: number;
  /** `unconfirmed`: the owner has to confirm their own address first. `none`: the service sends none. */
  mails: 'possible' | 'unconfirmed' | 'none';
}

export function InviteForms({ mail, link, isFull, limit, mails }: InviteProps) {
  if (isFull)
    return (
      <section class="card">
        <h2>Invite people</h2>
        <p>
          {limit === 1
            ? 'Your plan allows one member per workspace.'
            : `The workspace has ${limit} members, as many as its plan allows.`}{' '}
          To have more, contact the operator of this service.
        </p>
      </section>
    );
  return (
    <div class="columns invite">
      {mails !== 'none' && (
        <section class="card form">
          <h2>Invite by email</h2>
          {mails === 'possible' ? (
            <MailForm form={mail} />
          ) : (
            <p>
              Confirm your own email address first, on your <a href="/account">account page</a>.
            </p>
          )}
        </section>
      )}
      <section class="card form">
        <h2>Invite with a link</h2>
        <LinkForm form={link} />
      </section>
    </div>
  );
}

function MailForm({ form }: { form: FormState }) {
  return (
    <Form action="/members/invitations">
      <TextArea
        form={form}
        name="emails"
        label="Email addresses"
        rows={3}
        hint={`One or several, up to ${maxEmails}. Each person gets a link that works for their address only.`}
      />
      <CommonFields form={form} names={commonNames.mail} />
      <button type="submit">Send invitations</button>
    </Form>
  );
}

function LinkForm({ form }: { form: FormState }) {
  return (
    <Form action="/members/links">
      <Input
        form={form}
        name="uses"
        label="How many people can use it"
        inputMode="numeric"
        required
        maxLength={3}
        hint={`From 1 to ${maxUsesOfLink}. Whoever has the link can join.`}
      />
      <Input
        form={form}
        name="note"
        label="Note (optional)"
        autocomplete="off"
        maxLength={maxNoteLength}
        hint="Such as who the link is for. Only owners see it."
      />
      <CommonFields form={form} names={commonNames.link} />
      <button type="submit" class="quiet">
        Create link
      </button>
    </Form>
  );
}

function CommonFields({ form, names }: { form: FormState; names: CommonNames }) {
  return (
    <>
      <Select
        form={form}
        name={names.role}
        label="Role"
        hint="Owners manage members and API keys, editors change codes, viewers can only look."
        choices={roles.toReversed().map((role) => [role, roleNames[role]])}
      />
      <Select
        form={form}
        name={names.days}
        label="Expires after"
        choices={invitationDays.map((days) => [String(days), days === 1 ? '1 day' : `${days} days`])}
      />
    </>
  );
}
