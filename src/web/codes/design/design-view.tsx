import type { QrCode } from '../../../codes/qr-code.ts';
import type { Style } from '../../../codes/styles/styles.ts';
import { type FormState, Input } from '../../ui/controls.tsx';
import { Confirmation, Form, Page } from '../../ui/layout.tsx';
import { Moment } from '../../ui/time.tsx';
import { Needs } from '../../ui/visitor.ts';
import { undoDays, undoableUntil } from '../../../codes/undo-period.ts';
import { maxStyleNameLength } from '../styles/styles-view.tsx';
import { CodeTabs } from '../code-tabs.tsx';
import { Designer, type DesignerPictures } from './designer.tsx';

interface DesignViewProps extends DesignerPictures {
  code: QrCode;
  form: FormState;
  hasDesign: boolean;
  /** When the design was removed that can be restored. */
  removedAt: Date | undefined;
}

/** The designer of a code. */
export function DesignView({ code, form, hasDesign, removedAt, ...designer }: DesignViewProps) {
  const back = `/codes/${code.id}`;
  const path = `${back}/design`;
  return (
    <Page
      title="Design"
      at="/codes"
      styles={['codes']}
      back={[back, 'Back to the code']}
      heading={
        <h1>
          Design of <bdi>{code.name}</bdi>
        </h1>
      }
      form={form}
    >
      <CodeTabs code={code} at="design" />
      <Designer {...designer} form={form} path={path} back={back}>
        <Needs access="editor">
          <SaveAsTemplate path={path} form={form} />
          {hasDesign && (
            <p>
              <a class="button ghost danger" href={`${path}/delete`} data-dialog>
                Remove the design
              </a>
            </p>
          )}
        </Needs>
      </Designer>
      {removedAt && (
        <section class="card">
          <p>
            The former design was removed. It is kept until{' '}
            <Moment at={undoableUntil(removedAt)} show="day" />.
          </p>
          <Needs access="editor">
            <Form action={`${path}/restore`}>
              <button type="submit" class="quiet">
                Restore the design
              </button>
            </Form>
          </Needs>
        </section>
      )}
    </Page>
  );
}

/** Asks before a design is removed. */
export function RemoveDesignView({ code }: { code: QrCode }) {
  const path = `/codes/${code.id}/design`;
  return (
    <Confirmation title="Remove the design" at="/codes" action={`${path}/delete`} button="Remove" keep={path}>
      Remove the design of{' '}
      <strong>
        <bdi>{code.name}</bdi>
      </strong>
      , with its logo? The code is plain from then on; printed copies stay as they are. You can undo this for{' '}
      {undoDays} days.
    </Confirmation>
  );
}

function SaveAsTemplate({ path, form }: { path: string; form: FormState }) {
  return (
    <section class="card save-style">
      <h2>Save as template</h2>
      <Input
        form={form}
        name="styleName"
        label="Name of the template"
        maxLength={maxStyleNameLength}
        hint="To use this design, with its colors and logo, for other codes."
      />
      <button type="submit" class="quiet" formaction={`${path}/style`}>
        Save as template
      </button>
    </section>
  );
}

interface StyleDesignProps extends DesignerPictures {
  style: Style;
  form: FormState;
}

/** The designer of a template, with an example of a code. */
export function StyleDesignView({ style, form, ...designer }: StyleDesignProps) {
  const back = `/codes/styles/${style.id}`;
  return (
    <Page
      title="Edit template"
      at="/codes/styles"
      styles={['codes']}
      back={[back, 'Back to the template']}
      heading={
        <h1>
          Edit template <bdi>{style.name}</bdi>
        </h1>
      }
      form={form}
    >
      <p class="hint">
        Codes that have this template keep their design until you apply it again. Codes that wait for it
        {style.isDefault ? ', and new codes,' : ''} get what you save here.
      </p>
      <Designer {...designer} form={form} path={`${back}/design`} back={back} isTemplate />
    </Page>
  );
}

/** A template from scratch. */
export function NewStyleView({ form, ...designer }: DesignerPictures & { form: FormState }) {
  return (
    <Page
      title="New template"
      at="/codes/styles"
      styles={['codes']}
      back={['/codes/styles', 'All templates']}
      form={form}
    >
      <Designer
        {...designer}
        form={form}
        path="/codes/styles/new"
        back="/codes/styles"
        isTemplate
        first={
          <section class="card">
            <Input
              form={form}
              name="styleName"
              label="Name of the template"
              maxLength={maxStyleNameLength}
              required
            />
          </section>
        }
      />
    </Page>
  );
}
