import type { FieldError } from '../../errors.ts';
import { defaultNamePlace, type NamePlace } from './label-layout.ts';
import {
  averySheets,
  defaultGrid,
  gridSheet,
  type LabelGrid,
  type LabelSheet,
  labelsPerSheet,
  minLabelMm,
  type SheetName,
} from './label-sheets.ts';
import type { LabelOptions } from './print-codes.ts';

type GivenGrid = Pick<LabelGrid, 'paper' | 'columns' | 'rows'> & Partial<LabelGrid>;

/** How labels are to be printed, as API clients and forms say it. */
export interface LabelChoice {
  sheet: SheetName;
  grid?: GivenGrid | undefined;
  start?: number | undefined;
  name?: NamePlace | undefined;
}

/** What the schema of the fields does not say. */
export function labelErrors({ sheet, grid, start = 1 }: Partial<LabelChoice>): FieldError[] {
  if (sheet === undefined) return [];
  if (sheet !== 'grid' && grid) return [{ field: 'grid', message: 'must be omitted unless sheet is grid' }];
  if (sheet === 'grid' && !grid) return [{ field: 'grid', message: 'is required if sheet is grid' }];
  const labels = sheetOf(sheet, grid);
  const errors: FieldError[] = [];
  const smallest = Math.min(labels.labelWidthMm, labels.labelHeightMm);
  if (smallest < minLabelMm) {
    const message = `must leave labels of at least ${minLabelMm} by ${minLabelMm} mm`;
    errors.push({ field: 'grid', message });
  }
  const perSheet = labelsPerSheet(labels);
  if (start > perSheet) {
    errors.push({
      field: 'start',
      message: `must be at most ${perSheet}, the number of labels on the sheet`,
    });
  }
  return errors;
}

/** Of a choice without errors. */
export function labelOptions({ sheet, grid, start = 1, name }: LabelChoice): LabelOptions {
  const labels = sheetOf(sheet, grid);
  return { sheet: labels, start, namePlace: name ?? defaultNamePlace(labels) };
}

function sheetOf(sheet: SheetName, grid: GivenGrid | undefined): LabelSheet {
  return sheet === 'grid' ? gridSheet({ ...defaultGrid, ...grid }) : averySheets[sheet];
}
