const short = Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A number as people read it. */
export function figure(value: number): string {
  return value.toLocaleString('en');
}

/** "123.5M", where room is short. */
export function shortFigure(value: number): string {
  return short.format(value);
}
