import type { ComponentChildren } from 'preact';
import type { FormState } from '../../ui/controls.tsx';
import { Form } from '../../ui/layout.tsx';
import { useVisitor } from '../../ui/visitor.ts';
import { SaveButton } from '../save-button.tsx';
import { DesignFields } from './design-fields.tsx';
import type { Start } from './design-subject.ts';
import { Stage, type StageProps } from './stage.tsx';

/** The picture and the designs to start from, for whatever is designed. */
export interface DesignerPictures extends StageProps {
  starts: Start[];
  /** The stored logo that it has. */
  logo: string | null;
}

interface DesignerProps extends DesignerPictures {
  form: FormState;
  /** The path of the page, which the form is sent to. */
  path: string;
  /** The target of "Cancel". */
  back: string;
  isTemplate?: boolean;
  /** Fields above the design. */
  first?: ComponentChildren;
  /** More to do with the choices. */
  children?: ComponentChildren;
}

/** The form of everything that decides how a code looks, beside a picture of it. */
export function Designer(props: DesignerProps) {
  const { path, back, first, children } = props;
  return (
    <Form action={path} class="design-form" hasFile>
      {first}
      <DesignerBody {...props}>{children}</DesignerBody>
      <div class="form-end">
        <SaveButton>Check and save</SaveButton>
        <a class="button quiet" href={back}>
          Cancel
        </a>
      </div>
    </Form>
  );
}

interface BodyProps extends DesignerPictures {
  form: FormState;
  path: string;
  isTemplate?: boolean;
  /** Shows what few people change on demand. */
  isCollapsed?: boolean;
  children?: ComponentChildren;
}

/** The fields of a design beside its picture, in whatever form has them. */
export function DesignerBody({ form, path, children, ...props }: BodyProps) {
  const { isTemplate = false, isCollapsed = false, ...pictures } = props;
  const { assets } = useVisitor();
  const { starts, logo } = pictures;
  return (
    <div class="designer">
      <div class="design-controls">
        <Starts path={path} starts={starts} chosen={form.values['styleId'] ?? ''} />
        <DesignFields form={form} logo={logo} isTemplate={isTemplate} isCollapsed={isCollapsed} />
        {children}
      </div>
      <div class="design-side">
        <input type="hidden" name="styleId" value={form.values['styleId'] ?? ''} />
        <Stage {...pictures} />
        <script type="module" src={`${assets}/codes/design/design.browser.js`} />
      </div>
    </div>
  );
}

interface StartsProps {
  path: string;
  starts: Start[];
  /** The id of a template. */
  chosen: string;
}

/** Links, which design.browser.js follows without leaving the page. */
function Starts({ path, starts, chosen }: StartsProps) {
  return (
    <nav aria-labelledby="start-from">
      <h2 class="starts-title" id="start-from">
        Start from
      </h2>
      <div class="starts">
        {starts.map(({ query, name, picture, values, hasLogo }) => (
          <a
            key={query}
            href={`${path}${path.includes('?') ? '&' : '?'}${query}`}
            data-values={JSON.stringify(values)}
            data-logo={hasLogo ? '' : undefined}
            aria-current={query === `styleId=${chosen}` ? 'true' : undefined}
          >
            <img src={picture} width="64" height="64" alt="" loading="lazy" />
            <bdi>{name}</bdi>
          </a>
        ))}
      </div>
    </nav>
  );
}
