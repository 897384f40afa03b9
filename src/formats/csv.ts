/** A line of CSV (RFC 4180). */
export function csvLine(values: (string | number | Date | null)[]): string {
  return `${values.map(toField).join(',')}\r\n`;
}

function toField(value: string | number | Date | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return value.toISOString();
  // Spreadsheets run such values as formulas, also in full width, and clients control some of them.
  const escaped = /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}
