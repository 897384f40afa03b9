import type { TextContent, WifiContent } from './code-content.ts';
import { asText, trimEndOf } from './plain-text.ts';
import { escapeField, parseFields, unescapeField } from './semicolon-fields.ts';

/** Fields for enterprise networks and WPA3, which are passed to the phone but not shown. */
const passedOn = ['R', 'E', 'A', 'AH', 'I', 'PH2', 'K', 'TRDISABLE'] as const;
const keys = ['T', 'S', 'P', 'H', ...passedOn];

interface Value {
  text: string;
  /** A name such as "CAFE" is quoted, so that it is not parsed as hexadecimal. */
  isQuoted: boolean;
}

export function parseWifi(content: string): WifiContent | TextContent {
  const [, body] = /^\s*WIFI:(.*)$/is.exec(content) ?? [];
  if (body === undefined) return asText(content);
  const values = new Map<string, Value>();
  // A trailing line break is not part of the payload.
  for (const { key, raw } of parseFields(trimEndOf(body, '\r\n'), keys)) {
    if (!values.has(key)) values.set(key, parseValue(raw));
  }
  const name = values.get('S');
  if (!name?.text) return asText(content);
  const type = values.get('T')?.text.trim().toUpperCase() ?? '';
  const security = securityOf(type, Boolean(values.get('P')?.text));
  const password = security === 'none' ? undefined : values.get('P');
  const isHidden = /^(?:true|1|yes)$/i.test(values.get('H')?.text.trim() ?? '');
  const parts = [
    `T:${type === 'SAE' ? 'SAE' : security === 'none' ? 'nopass' : security}`,
    `S:${written(name)}`,
    ...(password?.text ? [`P:${written(password)}`] : []),
    ...(isHidden ? ['H:true'] : []),
    ...passedOn.flatMap((key) => {
      const value = values.get(key);
      return value?.text ? [`${key}:${written(value)}`] : [];
    }),
  ];
  return {
    kind: 'wifi',
    networkName: name.text,
    password: password?.text ?? '',
    security,
    isHidden,
    ...(security === 'WPA2-EAP' && values.get('I')?.text && { identity: values.get('I')?.text ?? '' }),
    payload: `WIFI:${parts.join(';')};;`,
  };
}

function securityOf(type: string, hasPassword: boolean): WifiContent['security'] {
  if (type.includes('EAP')) return 'WPA2-EAP';
  if (type === 'WEP') return 'WEP';
  if (type === 'NOPASS' || type === 'NONE' || type === 'OPEN') return 'none';
  // WPA, WPA2, WPA/WPA2, WPA3, SAE: the phone detects which one it is.
  return type.startsWith('WPA') || type === 'SAE' || hasPassword ? 'WPA' : 'none';
}

function parseValue(raw: string): Value {
  const [, quoted] = /^"((?:[^\\]|\\.)*)"$/s.exec(raw) ?? [];
  return { text: unescapeField(quoted ?? raw), isQuoted: quoted !== undefined };
}

function written({ text, isQuoted }: Value): string {
  return isQuoted ? `"${escapeField(text)}"` : escapeField(text);
}
