import { type CodeType, contentKind, parseContent } from '../../codes/content/content-types.ts';
import { gistOf } from '../codes/shown-type.tsx';

/** What a change has done to one field, as the beginning of a sentence. */
export interface ChangeLine {
  field: string;
  text: string;
  /** Shown after the text: "from … to …", or only one of them. */
  from?: unknown;
  to?: unknown;
}

/** A content and the type of the code at that time, where it is known. */
interface Side {
  content: unknown;
  type: CodeType | undefined;
}

/** What a change of the content has done. Where both are the same in short, what differs. Passwords are not shown. */
export function contentLines(from: Side, to: Side): ChangeLine[] {
  const field = 'content';
  const what = isAddress(from) && isAddress(to) ? 'destination' : 'content';
  const whole = { field, text: `Changed the ${what}`, from: from.content, to: to.content };
  const [old, fresh] = [typed(from), typed(to)];
  if (!old || !fresh || old.type !== fresh.type) return [whole];
  const password = passwordLines(old, fresh);
  if (gistOf(old) !== gistOf(fresh)) return [whole, ...password];
  const facts = factLines(old, fresh);
  const lines = [...password, ...facts];
  if (lines.length > 0) return lines;
  // The whole of a text or an address is shown, and only the most important facts of other types.
  if (isShownWhole(old)) return [whole];
  const details = old.type === 'wifi' ? 'settings of the Wi-Fi network' : 'details of the content';
  return [{ field, text: `Changed the ${details}` }];
}

/** In a sentence, what makes two contents differ that look alike where they are shown. */
export function hiddenDifference(from: Side, to: Side): string | undefined {
  const [old, fresh] = [typed(from), typed(to)];
  if (!old || !fresh || old.type !== fresh.type) return undefined;
  if (passwordLines(old, fresh).length > 0) return 'The passwords differ. They are not shown here.';
  const isAlike = gistOf(old) === gistOf(fresh) && factLines(old, fresh).length === 0;
  return isAlike && !isShownWhole(old) ? 'They differ in details that are not shown here.' : undefined;
}

const isShownWhole = ({ type }: Typed) => type === 'url' || type === 'text';

interface Typed {
  content: string;
  type: CodeType;
}

const typed = ({ content, type }: Side): Typed | undefined =>
  typeof content === 'string' && type !== undefined ? { content, type } : undefined;

const isAddress = ({ content, type }: Side) =>
  type === 'url' || (type === undefined && typeof content === 'string' && /^https?:\/\//.test(content));

function passwordLines(old: Typed, fresh: Typed): ChangeLine[] {
  const [from, to] = [parseContent(old.type, old.content), parseContent(fresh.type, fresh.content)];
  if (from.kind !== 'wifi' || to.kind !== 'wifi' || from.password === to.password) return [];
  const verb = from.password === '' ? 'Set' : to.password === '' ? 'Removed' : 'Changed';
  return [{ field: 'password', text: `${verb} the password of the Wi-Fi network` }];
}

function factLines(old: Typed, fresh: Typed): ChangeLine[] {
  const [from, to] = [factsOf(old), factsOf(fresh)];
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((name): ChangeLine[] => {
    const [former, latter] = [from.get(name) ?? '', to.get(name) ?? ''];
    if (former === latter) return [];
    const text = name.charAt(0).toLowerCase() + name.slice(1);
    if (former === '') return [{ field: name, text: `Set the ${text}`, to: latter }];
    if (latter === '') return [{ field: name, text: `Removed the ${text}`, from: former }];
    return [{ field: name, text: `Changed the ${text}`, from: former, to: latter }];
  });
}

function factsOf(code: Typed): Map<string, string> {
  const parsed = parseContent(code.type, code.content);
  const facts = contentKind(parsed.kind).facts(parsed, code);
  return new Map(
    facts.map(([name, value]) => [
      name,
      typeof value === 'string' ? value : value.map(({ text }) => text).join(', '),
    ]),
  );
}
