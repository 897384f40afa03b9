import type { ExampleRequest, ShownResponse } from '../api/reference.ts';
import { CopyableText } from '../ui/copyable.tsx';
import { type Language, languages } from './examples.ts';
import { Status } from './fields-view.tsx';
import { Highlighted } from './highlight.tsx';

type LanguageId = Language['id'];

interface SamplesProps {
  id: string;
  /** For screen readers: what the example does. */
  label: string;
  texts: { language: LanguageId; text: string }[];
}

/**
 * The same in several languages, of which one is chosen. Style sheets show it, so this works without scripts;
 * docs.browser.js remembers the choice for all examples.
 */
export function Samples({ id, label, texts }: SamplesProps) {
  const missing = languages.filter((each) => !texts.some(({ language }) => language === each.id));
  return (
    <div class="docs-samples">
      <fieldset class="segments">
        <legend class="unseen">Language: {label}</legend>
        {texts.map(({ language }, index) => (
          <label key={language}>
            <input
              type="radio"
              name={`${id}-language`}
              value={language}
              defaultChecked={index === 0}
              autocomplete="off"
            />
            {nameOf(language)}
          </label>
        ))}
      </fieldset>
      {texts.map(({ language, text }, index) => (
        <div
          key={language}
          // The first one stands for the languages that this example does not have.
          class={['docs-sample', language, ...(index === 0 ? missing.map((each) => each.id) : [])].join(' ')}
        >
          <CopyableText
            id={`${id}-${language}`}
            label={`Copy: ${label}, ${nameOf(language)}`}
            text={text}
            isSource
          >
            <Highlighted text={text} />
          </CopyableText>
        </div>
      ))}
    </div>
  );
}

function nameOf(id: LanguageId): string {
  return languages.find((each) => each.id === id)?.name ?? id;
}

/** An example of a request in every language. */
export function RequestExample({
  id,
  label,
  request,
}: {
  id: string;
  label: string;
  request: ExampleRequest;
}) {
  const texts = languages.map((language) => ({ language: language.id, text: language.write(request) }));
  return <Samples id={id} label={label} texts={texts} />;
}

/** What comes back. */
export function ResponseExample({ answer }: { answer: ShownResponse }) {
  const { status, example, fileType } = answer;
  return (
    <figure class="docs-response">
      <figcaption>
        Response <Status code={status} />
      </figcaption>
      {example !== undefined ? (
        <pre class="source" tabIndex={0}>
          <Highlighted text={example} />
        </pre>
      ) : (
        <p class="quiet">
          {fileType === undefined ? (
            'No body.'
          ) : (
            <>
              The body is a file: <code>{fileType}</code>
            </>
          )}
        </p>
      )}
    </figure>
  );
}
