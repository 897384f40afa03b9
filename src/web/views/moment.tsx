/** In UTC, exact to the minute; the script shows it in the reader's own time. */
export function Moment({ of }: { of: Date | string }) {
  const text = typeof of === 'string' ? of : of.toISOString();
  return (
    <time dateTime={text}>
      {text.slice(0, 10)} {text.slice(11, 16)} UTC
    </time>
  );
}
