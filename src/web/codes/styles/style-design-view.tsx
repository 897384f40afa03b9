import type { Style } from '../../../codes/styles/styles.ts';
import type { FormState } from '../../ui/controls.tsx';
import { Layout, type Visitor } from '../../ui/layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { DesignerPictures } from '../design/design-pictures.ts';
import { Designer, ProofHint } from '../design/designer.tsx';

interface StyleDesignProps extends DesignerPictures {
  visitor: Visitor;
  style: Style;
  form: FormState;
  /** Why it was not saved. */
  problem?: string | undefined;
}

/** The designer of a style, with an example of a code. */
export function StyleDesignView({ style, problem, ...designer }: StyleDesignProps) {
  const title = 'Edit style';
  const back = `/codes/styles/${style.id}`;
  return (
    <Layout
      title={problem ? `Error: ${title}` : title}
      visitor={designer.visitor}
      at="/codes"
      styles={['codes']}
    >
      <a class="back" href={back}>
        ← Back to the style
      </a>
      <h1>
        Edit style <bdi>{style.name}</bdi>
      </h1>
      {problem && (
        <Notice kind="bad" isFocused>
          {problem}
        </Notice>
      )}
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
    </Layout>
  );
}
