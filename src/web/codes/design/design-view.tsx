import type { QrCode } from '../../../codes/qr-code.ts';
import type { Style } from '../../../codes/styles/styles.ts';
import { type FormState, Input } from '../../ui/controls.tsx';
import { Form, Layout, type Visitor } from '../../ui/layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { maxStyleNameLength } from '../styles/style-name.ts';
import { StyleImage } from '../styles/styles-view.tsx';
import type { DesignerPictures } from './design-pictures.ts';
import { Designer, ProofHint } from './designer.tsx';

interface DesignViewProps extends DesignerPictures {
  visitor: Visitor;
  code: QrCode;
  form: FormState;
  /** Why it was not saved. */
  problem?: string | undefined;
  flash?: string | undefined;
  /** Of the saved design, as a sentence. */
  proof: string | null;
  hasDesign: boolean;
  hasLogo: boolean;
  styles: Style[];
}

/** The designer of a code. */
export function DesignView(props: DesignViewProps) {
  const { code, form, problem, flash, proof, hasDesign, styles, ...designer } = props;
  const title = 'Design';
  const back = `/codes/${code.id}`;
  const path = `${back}/design`;
  const colors = (
    <>
      The foreground and the background are set <a href={`${back}/edit`}>in the form of the code</a>.
    </>
  );
  return (
    <Layout
      title={problem ? `Error: ${title}` : title}
      visitor={props.visitor}
      at="/codes"
      styles={['codes']}
    >
      <a class="back" href={back}>
        ← Back to the code
      </a>
      <h1>
        Design of <bdi>{code.name}</bdi>
      </h1>
      <ProofHint />
      {problem ? (
        <Notice kind="bad" isFocused>
          {problem}
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

/** Those that the owner has saved. */
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
