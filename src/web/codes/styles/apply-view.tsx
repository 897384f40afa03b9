import type { QrCode } from '../../../codes/qr-code.ts';
import { maxAppliedCodes } from '../../../codes/styles/style-applications.ts';
import type { Style } from '../../../codes/styles/styles.ts';
import { figure } from '../../ui/figure.ts';
import { Form, Layout, type Visitor } from '../../ui/layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Chosen, Missing } from '../print/selection-view.tsx';
import { StyleImage } from './styles-view.tsx';

interface ApplyProps {
  visitor: Visitor;
  codes: QrCode[];
  styles: Style[];
  /** The id of a style. */
  chosen: string;
  problem?: string | undefined;
  /** How many of the selected codes were deleted meanwhile. */
  missing: number;
}

/** Chooses the style for codes that were selected in the list. */
export function ApplyView({ visitor, codes, styles, chosen, problem, missing }: ApplyProps) {
  const title = 'Apply a style';
  return (
    <Layout title={problem ? `Error: ${title}` : title} visitor={visitor} at="/codes" styles={['codes']}>
      <a class="back" href="/codes">
        ← All QR codes
      </a>
      <h1>{title}</h1>
      {problem && (
        <Notice kind="bad" isFocused>
          {problem}
        </Notice>
      )}
      {codes.length === 0 ? (
        <section class="card">
          <h2>No codes chosen</h2>
          <p>
            Check the boxes of up to {figure(maxAppliedCodes)} codes in <a href="/codes">the list</a>, then
            come back.
          </p>
        </section>
      ) : styles.length === 0 ? (
        <section class="card">
          <h2>No styles yet</h2>
          <p>
            Open the design of <a href={`/codes/${codes[0]?.id}/design`}>one of these codes</a>, and save it
            as a style first.
          </p>
        </section>
      ) : (
        <>
          <Missing count={missing} />
          <Chosen codes={codes} />
          <StyleChoice codes={codes} styles={styles} chosen={chosen} />
        </>
      )}
    </Layout>
  );
}

function StyleChoice({ codes, styles, chosen }: Pick<ApplyProps, 'codes' | 'styles' | 'chosen'>) {
  return (
    <Form action="/codes/styles/apply">
      <input type="hidden" name="codeIds" value={codes.map(({ id }) => id).join(',')} />
      <fieldset class="style-choice">
        <legend>Style</legend>
        {styles.map((style) => (
          <label key={style.id}>
            <input type="radio" name="styleId" value={style.id} required checked={style.id === chosen} />
            <StyleImage style={style} width={72} />
            <bdi>{style.name}</bdi>
          </label>
        ))}
      </fieldset>
      <p class="hint">
        It replaces the design of these codes. Each is photographed as a phone would first; one that could not
        be read stays as it is, and you see why.
      </p>
      <button type="submit">Apply</button>
    </Form>
  );
}
