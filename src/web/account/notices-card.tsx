import { type NoticeKind, noticeKinds } from '../../notices/owners.ts';
import { CheckBox } from '../ui/controls.tsx';
import { Form } from '../ui/layout.tsx';

export const noticeLabels: Record<NoticeKind, string> = {
  ending: 'A code ends in 60, 30, 7 days or 1 day',
  'first-scan': 'A code is scanned for the first time',
  weekly: 'Summary of the week, on Monday',
  silence: 'A code that is scanned every day was not scanned today',
  destination: 'A code leads to a page that does not work',
};

interface NoticesCardProps {
  muted: string[];
  isConfirmed: boolean;
}

/** A switch for each kind of notice. */
export function NoticesCard({ muted, isConfirmed }: NoticesCardProps) {
  const values = Object.fromEntries(noticeKinds.map((kind) => [kind, muted.includes(kind) ? '' : 'on']));
  return (
    <section class="card" id="notices">
      <h2>Emails about your codes</h2>
      {!isConfirmed && <p>You get them once your email address is confirmed.</p>}
      <Form action="/account/notices">
        {noticeKinds.map((kind) => (
          <CheckBox key={kind} form={{ values, errors: [] }} name={kind} label={noticeLabels[kind]} />
        ))}
        <button type="submit">Save choice</button>
      </Form>
    </section>
  );
}
