import type { QrCode } from '../../../codes/qr-code.ts';
import type { Style } from '../../../codes/styles/styles.ts';
import { type FormState, Input } from '../../ui/controls.tsx';
import { Form, Layout, Notice, Page } from '../../ui/layout.tsx';
import { useVisitor } from '../../ui/visitor.ts';
import { maxStyleNameLength, StyleImage } from '../styles/styles-view.tsx';
import type { DesignerPictures } from './design-form.ts';
import { Designer, ProofHint } from './designer.tsx';

interface DesignViewProps extends DesignerPictures {
  code: QrCode;
  form: FormState;
  /** The result of the proof of the saved design, as a sentence. */
  proof: string | null;
  hasDesign: boolean;
  hasLogo: boolean;
  styles: Style[];
}

/** The designer of a code. */
export function DesignView({ code, form, proof, hasDesign, styles, ...designer }: DesignViewProps) {
  const { flash } = useVisitor();
  const back = `/codes/${code.id}`;
  const path = `${back}/design`;
  const colors = (
    <>
      The foreground and the background are set <a href={`${back}/edit`}>in the form of the code</a>.
    </>
  );
  return (
    <Layout title={form.error ? 'Error: Design' : 'Design'} at="/codes" styles={['codes']}>
      <a class="back" href={back}>
        ← Back to the code
      </a>
      <h1>
        Design of <bdi>{code.name}</bdi>
      </h1>
      <ProofHint />
      {form.error ? (
        <Notice kind="bad" isFocused>
          {form.error}
        </Notice>
      ) : (
        (flash || proof) && <Notice kind="good">{[flash, proof].filter(Boolean).join(' ')}</Notice>
      )}
      <Designer
        {...designer}
        form={form}
        path={path}
        back={back}
        colors={colors}
        starts={<Styles path={path} styles={styles} form={form} />}
      >
        <SaveAsStyle path={path} form={form} />
      </Designer>
      {hasDesign && (
        <Form action={`${path}/delete`}>
          <button type="submit" class="quiet danger">
            Remove the design
          </button>
        </Form>
      )}
    </Layout>
  );
}

function SaveAsStyle({ path, form }: { path: string; form: FormState }) {
  return (
    <section class="card save-style">
      <h2>Save as style</h2>
      <Input
        form={form}
        name="styleName"
        label="Name of the style"
        maxLength={maxStyleNameLength}
        hint="To use this design, with its logo, for other codes."
      />
      <button type="submit" class="quiet" formaction={`${path}/style`}>
        Save as style
      </button>
    </section>
  );
}

/** The styles that the owner has saved. */
function Styles({ path, styles, form }: { path: string; styles: Style[]; form: FormState }) {
  if (styles.length === 0) return null;
  return (
    <nav class="presets" aria-label="Use a style">
      <h2>Your styles</h2>
      {styles.map((style) => (
        <a
          key={style.id}
          href={`${path}?styleId=${style.id}`}
          aria-current={style.id === form.values['styleId'] ? 'true' : undefined}
        >
          <StyleImage style={style} width={72} />
          <bdi>{style.name}</bdi>
        </a>
      ))}
    </nav>
  );
}

interface StyleDesignProps extends DesignerPictures {
  style: Style;
  form: FormState;
}

/** The designer of a style, with an example of a code. */
export function StyleDesignView({ style, ...designer }: StyleDesignProps) {
  const back = `/codes/styles/${style.id}`;
  return (
    <Page
      title="Edit style"
      at="/codes"
      styles={['codes']}
      back={[back, '← Back to the style']}
      heading={
        <h1>
          Edit style <bdi>{style.name}</bdi>
        </h1>
      }
      form={designer.form}
    >
      <p>
        Codes that have this style keep their design until you apply it again. Codes that wait for it
        {style.isDefault ? ', and new codes,' : ''} get what you save here.
      </p>
      <ProofHint />
      <Designer
        {...designer}
        path={`${back}/design`}
        back={back}
        hasLogo={style.design.logo !== null}
        colors="Each code has a foreground and a background of its own. The example has the usual ones."
      />
    </Page>
  );
}
