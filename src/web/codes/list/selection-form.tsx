import { maxPrintedCodes } from '../../../codes/print/print-codes.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { figure } from '../../ui/figure.ts';
import { type Search, searchParameters } from './list-search.ts';

const formId = 'selection';

/** Outside its form, because the rows of the list have forms of their own. */
export function SelectBox({ code }: { code: QrCode }) {
  return (
    <label class="select-box">
      <input type="checkbox" name="code" value={code.id} form={formId} aria-label={`Select ${code.name}`} />
    </label>
  );
}

/** Prints, downloads or styles the codes whose boxes are checked, or all that the search finds. */
export function SelectionForm({ search, total }: { search: Search; total: number }) {
  return (
    <form class="card selection" id={formId} action="/codes/selection">
      {Object.entries(searchParameters(search)).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class="quiet">
        Print or download selected
      </button>
      <button type="submit" class="quiet" formaction="/codes/styles/apply">
        Apply a style to selected
      </button>
      {total > 1 && total <= maxPrintedCodes && (
        <label class="select-all">
          <input type="checkbox" name="all" value="on" />
          All {figure(total)} codes
        </label>
      )}
    </form>
  );
}
