import type { CodeType } from '../../../codes/content/content-types.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import type { Version } from '../../../history/changes.ts';
import type { Difference } from '../../../history/code-state.ts';
import { Form, Page } from '../../ui/layout.tsx';
import { When, Who } from '../../history/actor.tsx';
import { codeLines, type TypesOfChange } from '../../history/change-lines.ts';
import { hiddenDifference } from '../../history/content-lines.ts';
import { Entry, Line } from '../../history/entry.tsx';
import { FieldValue, fieldNames } from '../../history/field-value.tsx';
import { choiceField, choiceOf } from './choices.ts';

/** Fields that are chosen together, because one without the others would make no sense. */
export interface Conflict {
  choice: string;
  differences: Difference[];
  /** The last change of the current values. */
  since: Version | undefined;
  /** The last change of the earlier ones. Undefined: they are older than the history. */
  origin: Version | undefined;
}

interface ChooseProps {
  code: QrCode;
  /** The change to undo. */
  entry: Version;
  types: TypesOfChange;
  conflicts: Conflict[];
  /** What else is put back, because nobody has changed it since. */
  others: Difference[];
  /** The number of the latest version that the page shows. */
  seen: number;
  now: Date;
  /** The code was changed while the person was choosing. */
  isOutdated: boolean;
}

/** Asks which value to keep of each field that was changed again since. */
export function ChooseView(props: ChooseProps) {
  const { code, entry, types, conflicts, others, seen, now, isOutdated } = props;
  const back = `/codes/${code.id}/history`;
  const error = isOutdated ? 'The code has changed since. Choose again.' : undefined;
  return (
    <Page
      title="Undo this change?"
      at="/codes"
      styles={['codes', 'history']}
      back={[back, 'Back to the history']}
      heading={<h1>Undo this change?</h1>}
      form={{ values: {}, errors: [], error }}
    >
      <p class="quiet">
        A change of <bdi>{code.name}</bdi>:
      </p>
      <ul class="card entries undone">
        <Entry change={entry} lines={codeLines(entry, types)} types={types} now={now} />
      </ul>
      <Form action={back} class="card form choose">
        <p>{conflicts.length === 1 ? 'This was' : 'These were'} changed again since. Choose what to keep.</p>
        <input type="hidden" name="version" value={entry.version} />
        <input type="hidden" name="seen" value={seen} />
        {conflicts.map((conflict) => (
          <Choice key={conflict.choice} {...props} conflict={conflict} />
        ))}
        {others.length > 0 && <Others code={code} types={types} others={others} />}
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

/** What saving changes, whatever is chosen above. */
function Others({ code, types, others }: Pick<ChooseProps, 'code' | 'types' | 'others'>) {
  return (
    <section class="also">
      <h2>Also put back</h2>
      <ul class="lines">
        {others.map(({ field, now: from, former: to }) => (
          <li key={field}>
            <Line
              line={{ field, text: sentence(fieldNames[field]), ...(field !== 'design' && { from, to }) }}
              types={{ before: code.type, after: types.before }}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Choice({ code, entry, types, seen, now, conflict }: ChooseProps & { conflict: Conflict }) {
  const { choice, differences, since, origin } = conflict;
  const formerType = types.before ?? code.type;
  const name = choiceField(choice);
  const picture = (version: number) =>
    choice === 'look' && (
      <img
        src={`/codes/${code.id}/history/picture.svg?version=${version}`}
        width="96"
        height="96"
        alt=""
        loading="lazy"
      />
    );
  const values = (read: (difference: Difference) => unknown, type: CodeType) =>
    differences.map((difference) => (
      <Value
        key={difference.field}
        field={difference.field}
        value={read(difference)}
        type={type}
        isOnly={differences.length === 1}
      />
    ));
  const content = differences.find(({ field }) => field === 'content');
  const hidden =
    content &&
    hiddenDifference(
      { content: content.former, type: formerType },
      { content: content.now, type: code.type },
    );
  return (
    <fieldset>
      <legend>{titleOf(conflict)}</legend>
      {hidden && <p class="hint">{hidden}</p>}
      <label class="option">
        <input type="radio" name={name} value="now" required />
        <span>
          <strong>Keep the current {nounOf(conflict)}</strong>
          {values((difference) => difference.now, code.type)}
          {picture(seen)}
          {since && <Origin change={since} now={now} />}
        </span>
      </label>
      <label class="option">
        <input type="radio" name={name} value="then" required />
        <span>
          <strong>Restore the earlier {nounOf(conflict)}</strong>
          {values((difference) => difference.former, formerType)}
          {picture(entry.version - 1)}
          {origin && <Origin change={origin} now={now} />}
        </span>
      </label>
    </fieldset>
  );
}

const nounOf = ({ differences }: Conflict) => (differences.length === 1 ? 'value' : 'values');

function Origin({ change, now }: { change: Version; now: Date }) {
  return (
    <span class="hint">
      Set by <Who change={change} isWithin /> <When at={change.at} now={now} />
    </span>
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

/** The fields that are chosen together with one of the conflicts. */
export function groupConflicts(
  conflicts: Difference[],
  all: Difference[],
): Omit<Conflict, 'since' | 'origin'>[] {
  const choices = [...new Set(conflicts.map(({ field }) => choiceOf(field)))];
  return choices.map((choice) => ({
    choice,
    differences: all.filter(({ field }) => choiceOf(field) === choice),
  }));
}
