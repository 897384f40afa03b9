import type { Context } from 'koa';

/** What was done to a code, as the page that comes after says it. */
const texts = {
  created: 'Code created. Download it or copy its link.',
  saved: 'Changes saved.',
  deleted: 'The code is deleted.',
  marked: 'Added to your favourites.',
  unmarked: 'Removed from your favourites.',
  private: 'The code is private now: its share link shows nothing, and scans are not counted.',
  public: 'The code is public now: its share link works.',
};

export type Done = keyof typeof texts;

export function doneText(ctx: Context): string | undefined {
  const done = doneOf(ctx);
  return done && texts[done];
}

export function doneOf(ctx: Context): Done | undefined {
  const done = ctx.query['done'];
  return typeof done === 'string' && Object.hasOwn(texts, done) ? (done as Done) : undefined;
}

/** The path with a word for the page to say; its search and its anchor stay. */
export function withDone(path: string, done: Done): string {
  const [before = '', anchor] = path.split('#');
  const [place = '', query] = before.split('?');
  const search = new URLSearchParams(query);
  search.set('done', done);
  return `${place}?${search.toString()}${anchor === undefined ? '' : `#${anchor}`}`;
}
