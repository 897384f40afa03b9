import {
  type CodeType,
  codeTypes,
  contentKind,
  contentType,
  parseContent,
} from '../../codes/content/content-types.ts';
import { opensFile } from '../../codes/files/upload.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import { Icon, type IconName } from '../ui/icons.tsx';

/** The API has no such type: a code with a file is of type `url`, with the address of its file as content. */
export type ShownType = CodeType | 'file';

/** As people know it. */
export function typeName(type: ShownType): string {
  return type === 'file' ? 'File' : contentType(type).name;
}

export function shownTypeOf(code: Pick<QrCode, 'type' | 'content' | 'shareToken'>): ShownType {
  return opensFile(code) ? 'file' : code.type;
}

/** In the order in which people choose one. */
export const shownTypes: readonly ShownType[] = [...codeTypes, 'file'];

/** Of types whose share page is that of another type. */
const ownIcons: Partial<Record<CodeType, IconName>> = {
  whatsapp: 'message-circle',
  social: 'share-2',
};

/** By the kind of page that an example opens. A page shows many of them, so that they are looked up once. */
const kindIcons = Object.fromEntries(
  codeTypes.map((type) => [type, contentKind(parseContent(type, contentType(type).example).kind).icon]),
) as Record<CodeType, ReturnType<typeof contentKind>['icon']>;

/** The picture of a type, as on the page that a scan opens. Decoration: its name is beside it. */
export function TypeIcon({ type }: { type: ShownType }) {
  if (type === 'file') return <Icon name="file-text" />;
  const own = ownIcons[type];
  if (own) return <Icon name={own} />;
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {kindIcons[type].map((shape, index) =>
        typeof shape === 'string' ? (
          <path key={index} d={shape} />
        ) : (
          <circle key={index} cx={shape[0]} cy={shape[1]} r={shape[2]} />
        ),
      )}
    </svg>
  );
}

const maxLength = 80;

/** What a code opens, in one line and without secrets. */
export function gistOf({ type, content }: Pick<QrCode, 'type' | 'content'>): string {
  const parsed = parseContent(type, content);
  const [first] = contentKind(parsed.kind).facts(parsed, { type, content });
  const value = first?.[1] ?? '';
  const whole = typeof value === 'string' ? value : (value[0]?.text ?? '');
  const line = whole.replace(/^https?:\/\//, '').split('\n', 1)[0] ?? '';
  const letters = [...line];
  return letters.length > maxLength ? `${letters.slice(0, maxLength).join('')}…` : line;
}
