import type { QrCode } from '../../../codes/qr-code.ts';
import type { Version } from '../../../history/changes.ts';
import { Icon } from '../../ui/icons.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Form, Page } from '../../ui/layout.tsx';
import { Pages } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { Needs } from '../../ui/visitor.ts';
import { Who } from '../../history/actor.tsx';
import { codeLines, type TypesOfChange } from '../../history/change-lines.ts';
import { Entry } from '../../history/entry.tsx';

export interface ShownVersion {
  version: Version;
  types: TypesOfChange;
  /** The change whose former values it has set again. */
  reverted: Version | undefined;
}

interface HistoryProps {
  code: QrCode;
  versions: ShownVersion[];
  now: Date;
  firstPage: string | undefined;
  nextPage: string | undefined;
  /** Why nothing was put back. */
  error?: string | undefined;
  /** The code already is as it was asked for. */
  isUnchanged?: boolean;
}

/** The versions of a code, newest first. */
export function CodeHistoryView(props: HistoryProps) {
  const { code, versions, now, error, isUnchanged = false } = props;
  return (
    <Page
      title={`History of ${code.name}`}
      at="/codes"
      styles={['codes', 'history']}
      back={[`/codes/${code.id}`, 'Back to the code']}
      heading={
        <h1>
          History of <bdi>{code.name}</bdi>
        </h1>
      }
      form={error === undefined ? undefined : { values: {}, errors: [], error }}
    >
      {isUnchanged && (
        <div class="notice plain" role="status">
          Nothing to put back: the code already has these values.
        </div>
      )}
      {versions.length === 0 ? (
        <Empty icon="clock" title="No changes yet">
          <p>Every change of this code appears here from now on, with who made it and when.</p>
        </Empty>
      ) : (
        <>
          <Needs access="editor">
            <p class="quiet">
              “Put back” undoes a single change. The history records it, so you can undo that, too.
            </p>
          </Needs>
          <ol class="card entries" aria-label="Changes, the latest first">
            {versions.map((shown) => (
              <VersionEntry key={shown.version.version} code={code} shown={shown} now={now} />
            ))}
          </ol>
        </>
      )}
      <Pages {...props} />
    </Page>
  );
}

interface VersionProps {
  code: QrCode;
  shown: ShownVersion;
  now: Date;
}

function VersionEntry({ code, shown: { version, types, reverted }, now }: VersionProps) {
  const lines = codeLines(version, types);
  const summary = lines.map(({ text }) => text).join(', ');
  return (
    <Entry
      change={version}
      lines={lines}
      types={types}
      now={now}
      actions={canPutBack(version) && <PutBackForm code={code} version={version} summary={summary} />}
    >
      {reverted && (
        <p class="quiet reverted">
          <Icon name="undo-2" /> Reverts the change of <Moment at={reverted.at} /> by{' '}
          <Who change={reverted} isWithin />
        </p>
      )}
      {changesLook(version) && <Pictures code={code} version={version} />}
    </Entry>
  );
}

/** The contents of old entries are gone where a code was deleted. */
const canPutBack = ({ action, before }: Version) => action === 'changed' && before !== null;

const lookFields = ['design', 'foregroundColor', 'backgroundColor'];

const changesLook = ({ action, before }: Version) =>
  action === 'changed' && before !== null && lookFields.some((field) => field in before);

/** Before and after the change. */
function Pictures({ code, version: { version } }: { code: QrCode; version: Version }) {
  const path = `/codes/${code.id}/history/picture.svg?version=`;
  return (
    <div class="version-pictures">
      <img src={`${path}${version - 1}`} width="72" height="72" alt="Before" loading="lazy" />
      <Icon name="arrow-right" />
      <img src={`${path}${version}`} width="72" height="72" alt="After" loading="lazy" />
    </div>
  );
}

interface PutBackProps {
  code: QrCode;
  version: Version;
  summary: string;
}

function PutBackForm({ code, version, summary }: PutBackProps) {
  return (
    <Needs access="editor">
      <Form action={`/codes/${code.id}/history`}>
        <input type="hidden" name="version" value={version.version} />
        <button type="submit" class="button small quiet" aria-label={`Put back: ${summary}`}>
          <Icon name="undo-2" />
          Put back
        </button>
      </Form>
    </Needs>
  );
}
