import { maxPrintedCodes } from '../../../codes/print/print-codes.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { maxAppliedCodes } from '../../../codes/styles/style-applications.ts';
import { maxCodesInAddress } from '../print/selection.ts';
import { Icon } from '../../ui/icons.tsx';
import { useMay, useVisitor } from '../../ui/visitor.ts';
import { figure } from '../../ui/words.tsx';
import { type Search, searchParameters } from './list-search.ts';
import type { WorkspaceId } from '../../../workspaces/workspace.ts';

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
  /** Whoever signs in next in this tab starts without a selection. */
  workspaceId: WorkspaceId;
  search: Search;
  total: number;
}

/** Prints, downloads or styles the codes whose boxes are checked, or all that the search finds. */
export function SelectionForm({ workspaceId, search, total }: SelectionFormProps) {
  const { assets, csrfToken } = useVisitor();
  const canApply = useMay()('editor or demo');
  return (
    <form
      class="card selection"
      id={formId}
      action="/codes/selection"
      data-owner={workspaceId}
      data-max={maxPrintedCodes}
      data-max-applied={maxAppliedCodes}
      data-max-in-address={maxCodesInAddress}
      data-csrf={csrfToken}
    >
      <script type="module" src={`${assets}/codes/list/selection.browser.js`} />
      {Object.entries(searchParameters(search)).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {/* selection.browser.js keeps the boxes of other pages checked. Without it, those of this page count. */}
      <p class="count" />
      {total > 1 && total <= maxPrintedCodes && (
        <label class="select-all">
          <input type="checkbox" name="all" value="on" />
          All {figure(total)} codes
        </label>
      )}
      <button type="button" class="ghost select-page" hidden>
        Select this page
      </button>
      <button type="submit" class="quiet">
        <Icon name="printer" />
        Print or download<span class="unseen"> selected</span>
      </button>
      {canApply && (
        <button type="submit" class="quiet" formaction="/codes/styles/apply">
          <Icon name="palette" />
          Apply a template<span class="unseen"> to selected</span>
        </button>
      )}
      <button
        type="button"
        class="ghost icon-only"
        aria-label="Clear selection"
        title="Clear selection"
        hidden
      >
        <Icon name="x" />
      </button>
      <p class="hint">
        Select codes by their boxes: up to {figure(maxPrintedCodes)} to print or download
        {canApply && `, up to ${figure(maxAppliedCodes)} to apply a template`}.
      </p>
    </form>
  );
}
