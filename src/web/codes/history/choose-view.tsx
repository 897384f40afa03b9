import type { CodeType } from '../../../codes/content/content-types.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import type { Version } from '../../../history/changes.ts';
import type { Difference } from '../../../history/code-state.ts';
import { Form, Page } from '../../ui/layout.tsx';
import { When, Who } from '../../history/actor.tsx';
import { FieldValue, fieldNames } from '../../history/field-value.tsx';
import { choiceField, choiceOf } from './choices.ts';

/** Fields that are chosen together, because one without the others would make no sense. */
export interface Conflict {
  choice: string;
  differences: Difference[];
  /** Who has changed them since. */
  since: Version | undefined;
}

interface ChooseProps {
  code: QrCode;
  version: number;
  conflicts: Conflict[];
  /** The number of the latest version that the page shows. */
  seen: number;
  /** The type of the code at that version. */
  formerType: CodeType;
  now: Date;
  /** The code was changed while the person was choosing. */
  isOutdated: boolean;
}

/** Asks which value to keep of each field that was changed again since. */
export function ChooseView(props: ChooseProps) {
  const { code, version, conflicts, seen, isOutdated } = props;
  const back = `/codes/${code.id}/history`;
  const error = isOutdated ? 'The code has changed since. Choose again.' : undefined;
  return (
    <Page
      title="Put back"
      at="/codes"
      styles={['codes', 'history']}
      back={[back, 'Back to the history']}
      heading={
        <h1>
          Put back a change of <bdi>{code.name}</bdi>
        </h1>
      }
      form={{ values: {}, errors: [], error }}
    >
      <p>This has changed since. Choose which value to keep.</p>
      <Form action={back} class="card form choose">
        <input type="hidden" name="version" value={version} />
        <input type="hidden" name="seen" value={seen} />
        {conflicts.map((conflict) => (
          <Choice key={conflict.choice} {...props} conflict={conflict} />
        ))}
        <div class="row">
          <button type="submit">Save</button>
          <a class="button quiet" href={back}>
            Cancel
          </a>
        </div>
      </Form>
    </Page>
  );
}

function Choice({ code, version, seen, formerType, now, conflict }: ChooseProps & { conflict: Conflict }) {
  const { choice, differences, since } = conflict;
  const name = choiceField(choice);
  const picture = (of: number) =>
    choice === 'look' && (
      <img
        src={`/codes/${code.id}/history/picture.svg?version=${of}`}
        width="96"
        height="96"
        alt=""
        loading="lazy"
      />
    );
  return (
    <fieldset class="field">
      <legend>{titleOf(conflict)}</legend>
      <label class="option">
        <input type="radio" name={name} value="now" required />
        <span>
          <strong>Keep what it is now</strong>
          {differences.map(({ field, now: value }) => (
            <Value
              key={field}
              field={field}
              value={value}
              type={code.type}
              isOnly={differences.length === 1}
            />
          ))}
          {picture(seen)}
          {since && (
            <span class="hint">
              Changed by <Who change={since} isWithin /> <When at={since.at} now={now} />
            </span>
          )}
        </span>
      </label>
      <label class="option">
        <input type="radio" name={name} value="then" required />
        <span>
          <strong>Put back what it was</strong>
          {differences.map(({ field, former }) => (
            <Value
              key={field}
              field={field}
              value={former}
              type={formerType}
              isOnly={differences.length === 1}
            />
          ))}
          {picture(version - 1)}
        </span>
      </label>
    </fieldset>
  );
}

interface ValueProps {
  field: Difference['field'];
  value: unknown;
  type: CodeType;
  isOnly: boolean;
}

function Value({ field, value, type, isOnly }: ValueProps) {
  // A picture shows it.
  if (field === 'design') return null;
  return (
    <span class="value">
      {!isOnly && `${sentence(fieldNames[field])}: `}
      <FieldValue field={field} value={value} type={type} />
    </span>
  );
}

function titleOf({ choice, differences }: Conflict): string {
  if (choice === 'opens') return 'What the code opens';
  if (choice === 'look') return 'How the code looks';
  return sentence(differences.map(({ field }) => fieldNames[field]).join(', '));
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The conflicts by what is chosen together. */
export function groupConflicts(
  conflicts: Difference[],
  all: Difference[],
  versions: ReadonlyMap<number, Version>,
): Conflict[] {
  const choices = [...new Set(conflicts.map(({ field }) => choiceOf(field)))];
  return choices.map((choice) => {
    const differences = all.filter(({ field }) => choiceOf(field) === choice);
    const latest = Math.max(...differences.map(({ changedIn }) => changedIn));
    return { choice, differences, since: versions.get(latest) };
  });
}
