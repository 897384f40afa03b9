import type { AccountExport } from '../../accounts/account-exports.ts';
import { dayInWords } from '../ui/day.ts';
import { figure } from '../ui/figure.ts';
import { Form, useLocale } from '../ui/layout.tsx';

export type ExportState = Pick<AccountExport, 'state' | 'failure' | 'bytes' | 'expiresAt'>;

/** The archive of an account's data: ask for it, wait, download. */
export function ExportCard({ latest, isMailed }: { latest: ExportState | undefined; isMailed: boolean }) {
  return (
    <section class="card" id="export">
      <h2>Export your data</h2>
      <p>
        A ZIP archive with your account, keys, webhooks, codes and all their scans, as JSON and CSV, and the
        files that you have uploaded. It is kept for seven days.
      </p>
      {latest && <Latest {...latest} isMailed={isMailed} />}
      {latest?.state !== 'pending' && (
        <Form action="/account/export">
          <button type="submit" class={latest?.state === 'ready' ? 'quiet' : undefined}>
            {latest?.state === 'ready' ? 'Create a new export' : 'Create export'}
          </button>
        </Form>
      )}
    </section>
  );
}

function Latest({ state, failure, bytes, expiresAt, isMailed }: ExportState & { isMailed: boolean }) {
  const locale = useLocale();
  if (state === 'pending')
    return (
      <p>
        Your export is being created. Reload this page in a minute to download it.
        {isMailed && ' You also get a mail when it is ready.'}
      </p>
    );
  if (state === 'failed' && failure === 'error')
    return (
      <p>
        Your export could not be created. Try again. If that does not help, contact the operator of this
        service.
      </p>
    );
  if (state === 'failed')
    return (
      <p>
        Your account has too many scans for one export. Delete codes that you no longer need, download their
        scans on the page of each code, or contact the operator of this service.
      </p>
    );
  return (
    <p>
      <a href="/account/export.zip" download>
        Download the export
      </a>{' '}
      ({figure(Math.ceil(bytes / 1_000))} KB), until{' '}
      {dayInWords(expiresAt.toISOString().slice(0, 10), locale)}
    </p>
  );
}
