import type { Reference } from '../../api/reference.ts';
import { ResponseExample } from '../example-view.tsx';
import { Fields, HeaderNames, Words } from '../fields-view.tsx';
import type { Guide } from './guide.ts';

export function errorsGuide({ errors }: Reference): Guide {
  return {
    title: 'Errors',
    lead: 'Every error has the same body: what is wrong for your program, and a sentence for people.',
    sections: [
      {
        id: 'errors',
        title: 'The body of an error',
        body: <Fields fields={errors[0]?.fields ?? []} caption="Fields of an error" isResponse />,
      },
      ...errors.map((answer) => ({
        id: `error-${answer.status}`,
        title: `${answer.status} ${reasonOf(answer.example)}`,
        body: (
          <>
            <p>
              <Words text={answer.description} />
            </p>
            <ResponseExample answer={answer} />
            <HeaderNames names={answer.headers} />
          </>
        ),
      })),
    ],
  };
}

/** What the error is called in its own example. */
function reasonOf(example = '{}'): string {
  const { error, code } = JSON.parse(example) as { error?: string; code?: string };
  return code ?? error ?? '';
}
