import type { AccountUse } from '../../accounts/account-limits.ts';
import { megabytes } from '../../codes/files/stored-file.ts';
import {
  limitDefinitions,
  type LimitName,
  limitNames,
  type Limits,
  type Plan,
  type PlanLimits,
} from '../../limits.ts';
import { bytesPerMb } from '../../runtime/units.ts';
import { figure } from '../ui/words.tsx';
import { KeyPrefix } from '../keys/keys-view.tsx';
import { Needs } from '../ui/visitor.ts';

export interface PlanProps {
  name: Plan;
  limits: Limits;
  use: AccountUse;
  byPlan: PlanLimits;
  /** The active ones. Undefined for those who may not see them. */
  keys: { name: string; prefix: string; used: number; limit: number }[] | undefined;
}

export const planTitles: Record<Plan, string> = { free: 'Free', pro: 'Pro' };

/** The plan of the workspace, and how much of its limits is used. */
export function PlanCard({ plan }: { plan: PlanProps }) {
  return (
    <section class="card setting">
      <h2>Plan</h2>
      <p>
        This workspace is on the <strong>{planTitles[plan.name]}</strong> plan.
        <Needs access="owner">
          {' '}
          To change it, or one of its limits, contact the operator of this service.
        </Needs>
      </p>
      <LimitTable {...plan} />
      {plan.keys && <KeyTable keys={plan.keys} />}
    </section>
  );
}

/** How many workspaces somebody may own is said where they create one. */
const isOfWorkspace = (name: LimitName) => name !== 'workspaces';

/** Undefined: it is counted for each key, not for the workspace. */
function usedOf(name: LimitName, use: AccountUse): number | undefined {
  if (name === 'requestsPerHour' || name === 'workspaces') return undefined;
  if (name === 'formsPerHour') return use.forms;
  if (name === 'invitationMailsPerDay') return use.invitationMails;
  return name === 'fileMb' ? use.fileBytes / bytesPerMb : use[name];
}

function LimitTable({ name: ownPlan, limits, use, byPlan }: PlanProps) {
  const other = ownPlan === 'free' ? 'pro' : 'free';
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Limits">
      <table class="limits">
        <caption>Limits</caption>
        <thead>
          <tr>
            <th scope="col">Limit</th>
            <th scope="col">In use</th>
            <th scope="col" class="number">
              On {planTitles[other]}
            </th>
          </tr>
        </thead>
        <tbody>
          {limitNames.filter(isOfWorkspace).map((name) => {
            const { title } = limitDefinitions[name];
            return (
              <tr key={name}>
                <th scope="row">{title}</th>
                <td>
                  <Used
                    title={title}
                    used={usedOf(name, use)}
                    limit={limits[name]}
                    isSize={name === 'fileMb'}
                  />
                  {limits[name] !== byPlan[ownPlan][name] && <span class="badge">set for it</span>}
                </td>
                <td class="number">{figure(byPlan[other][name])}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface UsedProps {
  title: string;
  used: number | undefined;
  limit: number;
  isSize?: boolean;
}

function Used({ title, used, limit, isSize = false }: UsedProps) {
  if (used === undefined) return <>Up to {figure(limit)} for each key</>;
  const text = isSize ? megabytes(used * bytesPerMb) : figure(used);
  return (
    <>
      {text} of {figure(limit)}{' '}
      <meter min={0} max={Math.max(limit, used, 1)} value={used} aria-label={title}>
        {text}
      </meter>
    </>
  );
}

function KeyTable({ keys }: { keys: NonNullable<PlanProps['keys']> }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Requests in the last hour">
      <table>
        <caption>Requests in the last hour</caption>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Used</th>
          </tr>
        </thead>
        <tbody>
          {keys.map(({ name, prefix, used, limit }) => (
            <tr key={prefix}>
              <th scope="row">
                <bdi>{name}</bdi> <KeyPrefix prefix={prefix} />
              </th>
              <td>
                <Used title={`Requests with ${name}`} used={used} limit={limit} />
              </td>
            </tr>
          ))}
          {keys.length === 0 && (
            <tr>
              <td colSpan={2}>
                No active keys.{' '}
                <Needs access="owner">
                  <a href="/keys">Create a key</a>
                </Needs>
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
