import { withTimeout } from '../runtime/timeout.ts';

/** What passes between a process and the one that started it, beside the word "ready". */
type Letter = { question: number } | { answerTo: number; value: unknown };

/** An end of the channel between two processes. */
interface ChannelEnd {
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

type Send = (letter: Letter) => void;

/** Each side has one thing to tell, and tells it when asked. A question without an answer is given up after a time. */
export function exchangeAnswers(end: ChannelEnd, send: Send, tell: () => Promise<unknown>) {
  const asked = new Map<number, (value: unknown) => void>();
  let lastId = 0;
  end.on('message', (message) => {
    const letter = message as Letter;
    if (typeof letter !== 'object' || letter === null) return;
    if ('question' in letter) {
      // Where it cannot be told, the other side's patience ends it.
      tell().then(
        (value) => send({ answerTo: letter.question, value }),
        () => undefined,
      );
    } else if ('answerTo' in letter) {
      asked.get(letter.answerTo)?.(letter.value);
    }
  });
  return async (patienceMs: number): Promise<unknown> => {
    const id = (lastId += 1);
    const answer = new Promise((resolve) => {
      asked.set(id, resolve);
      send({ question: id });
    });
    return withTimeout(patienceMs, answer).finally(() => asked.delete(id));
  };
}
