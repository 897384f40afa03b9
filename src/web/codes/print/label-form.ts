import {
  defaultGrid,
  gridLimits,
  type LabelChoice,
  labelErrors,
  type LabelGrid,
  namePlaces,
  paperNames,
  sheetNames,
} from '../../../codes/print/labels.ts';
import type { FormError } from '../../ui/controls.tsx';

type NumberField = keyof typeof gridLimits;

/** The fields of the form for labels. Those of a grid count only with the sheet `grid`. */
export function readLabelForm(values: Record<string, string>): { choice: LabelChoice; errors: FormError[] } {
  const errors: FormError[] = [];
  const number = (name: string, min: number, max: number, isWhole: boolean): number => {
    const text = (values[name] ?? '').trim();
    const pattern = isWhole ? /^\d{1,4}$/ : /^\d{1,3}(?:[.,]\d{1,3})?$/;
    const value = pattern.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
    if (value >= min && value <= max) return value;
    errors.push({ field: name, message: `must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}` });
    return min;
  };
  const sheet = sheetNames.find((name) => name === values['sheet']);
  if (!sheet) errors.push({ field: 'sheet', message: 'must be one of the list' });
  const grid = sheet === 'grid' ? readGrid() : undefined;
  const start = number('start', 1, 9_999, true);
  const name = namePlaces.find((place) => place === values['name']);
  const choice: LabelChoice = { sheet: sheet ?? 'L7160', grid, start, name };
  // The grid is not a field of the form: its rows are, and the fewer, the larger the labels.
  const more = labelErrors(choice).map(({ field, message }) =>
    field === 'grid' ? { field: 'rows', message: `and columns ${message}` } : { field, message },
  );
  return { choice, errors: errors.length > 0 ? errors : more };

  function readGrid(): LabelGrid {
    const paper = paperNames.find((each) => each === values['paper']) ?? defaultGrid.paper;
    const limited = (field: NumberField) => {
      const { min, max } = gridLimits[field];
      return number(field, min, max, field === 'columns' || field === 'rows');
    };
    return {
      paper,
      columns: limited('columns'),
      rows: limited('rows'),
      marginXMm: limited('marginXMm'),
      marginYMm: limited('marginYMm'),
      gapXMm: limited('gapXMm'),
      gapYMm: limited('gapYMm'),
    };
  }
}
