/** The smallest UUIDv7 of that time: ids begin with their time in milliseconds. */
export function firstIdAt(time: Date): string {
  const start = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${start.slice(0, 8)}-${start.slice(8)}-0000-0000-000000000000`;
}
