import { type CodeType, contentKind, parseContent } from '../../codes/content/content-types.ts';
import type { FilePart, StateField } from '../../history/code-state.ts';
import type { PageLogo } from '../../codes/share-page.ts';
import { ContentFacts } from '../codes/detail/content-facts.tsx';
import { gistOf, typeName } from '../codes/shown-type.tsx';
import { Moment } from '../ui/time.tsx';

interface ValueProps {
  field: string;
  value: unknown;
  /** That of the code at the time, where it is known. */
  type?: CodeType | undefined;
}

/** A value of a field, for people. Long ones are cut, with the rest behind "Show all". */
export function FieldValue({ field, value, type }: ValueProps) {
  if (value === null || value === undefined || value === '') return <i class="none">none</i>;
  if (field.endsWith('Color') && typeof value === 'string') return <Swatch color={value} />;
  if (field.endsWith('At') && typeof value === 'string') return <Moment at={value} />;
  if (field === 'content' && typeof value === 'string') return <Content content={value} type={type} />;
  if (field === 'type') return <>{typeName(value as CodeType)}</>;
  if (field === 'file') return <bdi>{(value as FilePart).name}</bdi>;
  if (field === 'pageLogo') return <bdi>{(value as PageLogo).alt || 'a logo'}</bdi>;
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>;
  if (Array.isArray(value)) return <bdi>{value.join(', ')}</bdi>;
  return <LongText text={typeof value === 'string' ? value : JSON.stringify(value)} />;
}

function Swatch({ color }: { color: string }) {
  return (
    <span class="swatch">
      {/* Attributes may have colors; style attributes are not allowed by our content security policy. */}
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <rect width="16" height="16" rx="4" fill={/^#[\da-f]{6}$/i.test(color) ? color : 'none'} />
      </svg>
      {color}
    </span>
  );
}

/** Whatever is no address may hold a password, as that of a network does: only its type knows what can be shown. */
function Content({ content, type }: { content: string; type: CodeType | undefined }) {
  if (type === 'url' || type === 'text' || /^https?:\/\//.test(content)) return <LongText text={content} />;
  if (!type) return <i class="none">not shown here</i>;
  const gist = gistOf({ type, content });
  if (isWholeContent(type, content, gist)) return <bdi>{gist}</bdi>;
  return (
    <>
      <bdi>{gist}</bdi>
      <details>
        <summary>Show all</summary>
        <dl class="facts">
          <ContentFacts code={{ type, content }} />
        </dl>
      </details>
    </>
  );
}

/** There is nothing more to show, as of a network, whose only other part is its password. */
function isWholeContent(type: CodeType, content: string, gist: string): boolean {
  const parsed = parseContent(type, content);
  const facts = contentKind(parsed.kind).facts(parsed, { type, content });
  return facts.length === 1 && facts[0]?.[1] === gist;
}

const shownCharacters = 120;

function LongText({ text }: { text: string }) {
  const letters = [...text];
  if (letters.length <= shownCharacters) return <bdi>{text}</bdi>;
  return (
    <>
      <bdi>{letters.slice(0, shownCharacters).join('')}…</bdi>
      <details>
        <summary>Show all</summary>
        <bdi class="whole">{text}</bdi>
      </details>
    </>
  );
}

/** What the fields of codes are called in sentences. */
export const fieldNames: Record<StateField, string> = {
  name: 'name',
  type: 'type',
  content: 'content',
  foregroundColor: 'foreground color',
  backgroundColor: 'background color',
  size: 'size',
  errorCorrection: 'error correction',
  category: 'category',
  isPublic: 'visibility',
  isFavorite: 'mark as favorite',
  afterExpiryUrl: 'page after it expires',
  pageTitle: 'public title',
  pageText: 'text of the share page',
  pageColor: 'color of the share page',
  pageShowsName: 'name on the share page',
  expiresAt: 'expiry',
  design: 'design',
  pageLogo: 'logo of the share page',
  file: 'file',
};
