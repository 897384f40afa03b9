import { operatorActions, type RecordedAction } from '../../../accounts/operator-actions.ts';
import { Moment } from '../../ui/moment.tsx';

interface ActionTableProps {
  actions: RecordedAction[];
  /** On the page of the target, which need not be named. */
  isOfOneTarget?: boolean;
}

/** What operators changed, newest first. */
export function ActionTable({ actions, isOfOneTarget = false }: ActionTableProps) {
  if (actions.length === 0) return <p>No changes yet.</p>;
  return (
    <table class="stacked">
      <caption class="unseen">Changes by operators, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Change</th>
          {!isOfOneTarget && <th scope="col">Target</th>}
          <th scope="col">Note</th>
          <th scope="col">Operator</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        {actions.map((action) => (
          <tr key={action.id}>
            <th scope="row">{titleOf(action)}</th>
            {!isOfOneTarget && (
              <td data-label="Target">
                <Target {...action} />
              </td>
            )}
            <td data-label="Note">
              <Note {...action} />
            </td>
            <td data-label="Operator">
              <Operator {...action} />
            </td>
            <td data-label="Time">
              <Moment at={action.at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A later release may have recorded actions that this one does not know. */
function titleOf({ action }: RecordedAction): string {
  return Object.hasOwn(operatorActions, action)
    ? operatorActions[action as keyof typeof operatorActions]
    : action;
}

function Note({ action, note }: RecordedAction) {
  if (!note) return <>–</>;
  // A key has a name of the user's choice, often "command line".
  return action.startsWith('key.') ? (
    <>
      Key “<bdi>{note}</bdi>”
    </>
  ) : (
    <bdi>{note}</bdi>
  );
}

function Target({ target, targetEmail }: RecordedAction) {
  if (targetEmail === null) return <bdi>{target}</bdi>;
  return (
    <a href={`/admin/users/${target}`}>
      <bdi>{targetEmail}</bdi>
    </a>
  );
}

function Operator({ operatorId, operatorEmail }: RecordedAction) {
  if (operatorId === null) return <>command line</>;
  return <bdi>{operatorEmail ?? `deleted account ${operatorId}`}</bdi>;
}
