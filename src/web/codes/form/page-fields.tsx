import { colors } from '../../../theme.ts';
import { CheckBox, type FormState, Input } from '../../ui/controls.tsx';
import { More } from './more-fields.tsx';

/** How the page looks that a scan opens. Kept for types that redirect: the type may change again. */
export function PageFields({ form, logoPath }: { form: FormState; logoPath?: string | undefined }) {
  const { values } = form;
  const color = values['pageColor'] ?? '';
  const colorForm = {
    ...form,
    values: { pageColor: color || colors.accent[0], hasPageColor: color === '' ? '' : 'on' },
  };
  return (
    <More form={form} title="Title and color of the page" names={['pageTitle', 'pageText', 'pageColor']}>
      <Input
        form={form}
        name="pageTitle"
        label="Title (public, optional)"
        hint="Shown to people who scan, instead of the name."
      />
      <Input form={form} name="pageText" label="Line below the title (optional)" />
      <div class="switched">
        <CheckBox form={colorForm} name="hasPageColor" label="Use a color of your own" />
        <div>
          <Input
            form={colorForm}
            name="pageColor"
            label="Color"
            type="color"
            hint="Made darker or lighter where it would be hard to read."
          />
        </div>
      </div>
      {logoPath && (
        <p>
          <a href={logoPath}>Logo of the page</a>
        </p>
      )}
    </More>
  );
}
