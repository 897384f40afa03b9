const short = Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const shortFrom = 1_000_000;

/** "1,234,567" */
export function figure(value: number): string {
  return value.toLocaleString('en');
}

/** "123.5M", where space is short. */
export function shortFigure(value: number): string {
  return short.format(value);
}

/** A number where space is short: from a million on "123.5M", with the full number as tooltip and for screen readers. */
export function ShortFigure({ value }: { value: number }) {
  if (value < shortFrom) return <>{figure(value)}</>;
  return (
    <span title={figure(value)}>
      <span aria-hidden="true">{shortFigure(value)}</span>
      <span class="unseen">{figure(value)}</span>
    </span>
  );
}

/** "a minute", "12 minutes" */
export function minutesInWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

/** Messages for programs name fields as the API does. People read "foreground color". */
export function withFieldsInWords(message: string): string {
  return message.replaceAll(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (name) =>
    name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  );
}

/** The API calls templates styles, also in messages that pages show. */
export function withTemplates(message: string): string {
  return message.replaceAll(/\bstyle(s?)\b/g, 'template$1');
}
