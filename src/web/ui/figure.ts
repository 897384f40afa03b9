const short = Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** "1,234,567" */
export function figure(value: number): string {
  return value.toLocaleString('en');
}

/** "123.5M", where space is short. */
export function shortFigure(value: number): string {
  return short.format(value);
}
