import { maxPixels, minPixels, printLimits } from '../../../codes/design/design.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { Choices } from '../../ui/choices.tsx';
import { CheckBox, type FormState, Input } from '../../ui/controls.tsx';
import { CopyableField } from '../../ui/copyable.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Page } from '../../ui/layout.tsx';
import { useVisitor } from '../../ui/visitor.ts';
import { CodeTabs } from '../code-tabs.tsx';
import { hintOf, isDirectFirst, picturePath } from '../downloads.tsx';
import { Steps } from '../form/create-view.tsx';

interface ReadyProps {
  code: QrCode;
  /** The share link. */
  address: string;
  form: FormState;
  /** Below this width, phones may not read it. */
  smallestMm: number;
}

/** The last step of a new code, and where every code is downloaded in the size that is needed. */
export function ReadyView({ code, address, form, smallestMm }: ReadyProps) {
  const { flash } = useVisitor();
  const isNew = flash !== undefined;
  return (
    <Page
      title={isNew ? 'Your code is ready' : 'Download'}
      at="/codes"
      styles={['codes']}
      back={[`/codes/${code.id}`, 'Back to the code']}
      heading={
        <h1>
          {isNew ? (
            <>
              <bdi>{code.name}</bdi> is ready
            </>
          ) : (
            <>
              Download <bdi>{code.name}</bdi>
            </>
          )}
        </h1>
      }
      form={form}
    >
      {isNew ? <Steps at={3} /> : <CodeTabs code={code} at="ready" />}
      <div class="ready">
        <section class="card ready-picture" aria-label="The code">
          <img
            src={picturePath(code, 'svg', isDirectFirst(code))}
            width="320"
            height="320"
            alt={`QR code of ${code.name}`}
          />
          <CopyableField id="share-link" label="Share link" value={address} button="Copy link" quiet />
        </section>
        <div>
          <DownloadForm code={code} form={form} smallestMm={smallestMm} isNew={isNew} />
          <section class="card">
            <h2>Print</h2>
            <p class="hint">Ready to cut out, with a title and a line of text.</p>
            <div class="row">
              <a class="button quiet" href={`/codes/${code.id}/print`}>
                <Icon name="printer" />
                Poster, card or table tent
              </a>
              <a class="button quiet" href={`/codes/selection?code=${code.id}`}>
                Label sheet
              </a>
            </div>
          </section>
        </div>
      </div>
    </Page>
  );
}

interface DownloadProps extends Pick<ReadyProps, 'code' | 'form' | 'smallestMm'> {
  /** Whoever has just created the code wants it: the keyboard starts at the button. */
  isNew: boolean;
}

function DownloadForm({ code, form, smallestMm, isNew }: DownloadProps) {
  return (
    <section class="card">
      <h2>Download</h2>
      <form action={`/codes/${code.id}/download`} class="download-form">
        <Choices
          form={form}
          name="format"
          label="Format"
          look="segments"
          choices={[
            { value: 'pdf', text: 'PDF' },
            { value: 'svg', text: 'SVG' },
            { value: 'png', text: 'PNG' },
          ]}
        />
        <div class="of-pdf">
          <p class="hint">For print shops: sharp at every size, with the width that you choose.</p>
          <Input
            form={form}
            name="widthMm"
            label="Width in millimeters"
            inputMode="decimal"
            hint={`From ${printLimits.widthMm.min} to ${printLimits.widthMm.max}, for this code at least ${smallestMm}. A phone reads it from about ten times its width.`}
          />
          <details>
            <summary>Bleed and crop marks</summary>
            <Input
              form={form}
              name="bleedMm"
              label="Bleed in millimeters"
              inputMode="decimal"
              hint={`From ${printLimits.bleedMm.min} to ${printLimits.bleedMm.max}.`}
            />
            <CheckBox form={form} name="cropMarks" label="Crop marks" />
          </details>
        </div>
        <p class="hint of-svg">For designers: sharp at every size, and editable.</p>
        <div class="of-png">
          <p class="hint">For websites, emails and slides.</p>
          <Input
            form={form}
            name="size"
            label="Width in pixels"
            inputMode="numeric"
            hint={`From ${minPixels} to ${maxPixels}.`}
          />
        </div>
        <Choices
          form={form}
          name="holds"
          label="Kind"
          look="segments"
          choices={[
            { value: 'link', text: 'Dynamic' },
            { value: 'content', text: 'Static' },
          ]}
        />
        <p class="hint of-link">{hintOf(code, false)}</p>
        <p class="hint of-content">{hintOf(code, true)}</p>
        <button type="submit" autofocus={isNew}>
          <Icon name="download" />
          Download
        </button>
      </form>
    </section>
  );
}
