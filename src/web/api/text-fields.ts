/** What people see as the same name is stored as the same text: trimmed, in NFC. */
const labels = ['name', 'category'];

export function tidyLabels(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const tidied: Record<string, unknown> = { ...body };
  for (const label of labels) {
    const value = tidied[label];
    if (typeof value === 'string') tidied[label] = value.normalize('NFC').trim();
  }
  return tidied;
}
