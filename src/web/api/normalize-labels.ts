import { normalizeLabel } from '../../codes/label.ts';

/** Names that look the same are stored as the same text: trimmed, in NFC. */
const labels = ['name', 'category', 'title', 'text', 'alt'];

export function normalizeLabels(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const normalized: Record<string, unknown> = { ...body };
  for (const label of labels) {
    const value = normalized[label];
    if (typeof value === 'string') normalized[label] = normalizeLabel(value);
  }
  return normalized;
}
