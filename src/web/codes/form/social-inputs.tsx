import { linkRows } from '../../../codes/content/social-fields.ts';
import { type FormState, Input } from '../../ui/controls.tsx';
import { More } from './more-fields.tsx';

const firstRows = 3;

/** A row for each link, in the order of the page. social.browser.js moves them. */
export function SocialInputs({ form }: { form: FormState }) {
  const rest = linkRows.slice(firstRows);
  return (
    <div class="link-rows">
      <p class="hint">
        The icon follows from the address. With a label, people see the label and the address.
      </p>
      {linkRows.slice(0, firstRows).map((_, index) => (
        <LinkRow key={index} form={form} index={index} />
      ))}
      <More form={form} title="More links" names={rest.flatMap(({ label, address }) => [label, address])}>
        {rest.map((_, index) => (
          <LinkRow key={index} form={form} index={firstRows + index} />
        ))}
      </More>
    </div>
  );
}

function LinkRow({ form, index }: { form: FormState; index: number }) {
  const row = linkRows[index];
  const number = index + 1;
  if (!row) return null;
  return (
    <div class="link-row" role="group" aria-label={`Link ${number}`}>
      <Input
        form={form}
        name={row.address}
        label={`Address ${number}${index === 0 ? '' : ' (optional)'}`}
        inputMode="url"
      />
      <Input form={form} name={row.label} label={`Label ${number} (optional)`} />
      {index > 0 && (
        <button type="button" class="quiet" data-move-up hidden aria-label={`Move link ${number} up`}>
          ↑
        </button>
      )}
    </div>
  );
}
