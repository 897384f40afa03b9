import type { Change } from '../../history/changes.ts';
import { Moment } from '../ui/time.tsx';
import { useMay, useVisitor } from '../ui/visitor.ts';

type Acted = Pick<Change, 'actorKind' | 'actorId' | 'actorName'>;

/** Who made a change, at the beginning of a sentence or within it. */
export function Who({ change, isWithin = false }: { change: Acted; isWithin?: boolean }) {
  const { account, isDemo, brand } = useVisitor();
  const mayNameKeys = useMay()('owner');
  const { actorKind, actorId, actorName } = change;
  if (actorKind === 'person' && isDemo) return <>Somebody</>;
  if (actorKind === 'person' && actorId !== null && actorId === account)
    return <>{isWithin ? 'you' : 'You'}</>;
  if (actorKind === 'key')
    return (
      <>
        API key{' '}
        {actorName !== null && mayNameKeys && (
          <>
            “<bdi>{actorName}</bdi>”
          </>
        )}
      </>
    );
  return <bdi>{actorText(change, brand.name)}</bdi>;
}

/** For people. The CSV has `actorName` instead. */
export function actorText({ actorKind, actorName }: Acted, service: string): string {
  switch (actorKind) {
    case 'person':
      return actorName ?? 'A deleted account';
    case 'key':
      return actorName === null ? 'API key' : `API key “${actorName}”`;
    case 'operator':
      return 'The operator of this service';
    case 'service':
      return service;
    case null:
      return `An earlier version of ${service}`;
  }
}

const units: [limitSeconds: number, seconds: number, name: string][] = [
  [3_600, 60, 'minute'],
  [86_400, 3_600, 'hour'],
  [30 * 86_400, 86_400, 'day'],
];

/** "just now", "1 minute ago", "3 days ago". Undefined if the date says it better. */
function agoInWords(at: Date, now: Date): string | undefined {
  const seconds = Math.max(0, (now.getTime() - at.getTime()) / 1000);
  if (seconds < 60) return 'just now';
  const unit = units.find(([limit]) => seconds < limit);
  if (!unit) return undefined;
  const count = Math.floor(seconds / unit[1]);
  return `${count} ${unit[2]}${count === 1 ? '' : 's'} ago`;
}

/** How long ago, and the exact time. */
export function When({ at, now }: { at: Date; now: Date }) {
  const ago = agoInWords(at, now);
  return (
    <span class="when">
      {ago && `${ago}, `}
      <Moment at={at} />
    </span>
  );
}
