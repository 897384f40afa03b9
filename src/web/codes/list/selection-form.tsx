import { maxPrintedCodes } from '../../../codes/print/print-codes.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { maxAppliedCodes } from '../../../codes/styles/style-applications.ts';
import { figure } from '../../ui/figure.ts';
import type { Visitor } from '../../ui/layout.tsx';
import { maxSelectedCodes } from '../print/packed-ids.ts';
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

interface SelectionFormProps {
  visitor: Visitor;
  /** Whoever signs in next in this tab starts without a selection. */
  ownerId: string;
  search: Search;
  total: number;
}

/** Prints, downloads or styles the codes whose boxes are checked, or all that the search finds. */
export function SelectionForm({ visitor, ownerId, search, total }: SelectionFormProps) {
  return (
    <form
      class="card selection"
      id={formId}
      action="/codes/selection"
      data-owner={ownerId}
      data-max={maxSelectedCodes}
    >
      <script type="module" src={`${visitor.assets}/codes/list/selection.browser.js`} />
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
      {/* selection.browser.js keeps the boxes of other pages checked. Without it, those of this page count. */}
      <p aria-live="polite" />
      <button type="button" class="quiet" hidden>
        Select this page
      </button>
      <button type="button" class="quiet" hidden>
        Clear selection
      </button>
      <p class="hint">
        Select up to {figure(maxSelectedCodes)} codes on any pages, or all that a filter finds: up to{' '}
        {figure(maxPrintedCodes)} to print or download, {figure(maxAppliedCodes)} to apply a style.
      </p>
    </form>
  );
}
