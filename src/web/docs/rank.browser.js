// Finds sections of the docs by words. The server and search.browser.js use the same.

const maxTerms = 8;
const snippetLength = 140;

const termsOf = (query) => query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxTerms);

/** The text in parts, of which every second one is a word of the query. */
export function markedParts(text, query) {
  const terms = termsOf(query);
  const lower = text.toLowerCase();
  const parts = [''];
  for (let at = 0; at < text.length; ) {
    const term = terms.find((each) => lower.startsWith(each, at));
    if (term) parts.push(text.slice(at, at + term.length), '');
    else parts[parts.length - 1] += text.charAt(at);
    at += term ? term.length : 1;
  }
  return parts;
}

/** The entries that have every word of the query, best first. */
export function rank(entries, query, limit) {
  const terms = termsOf(query);
  if (terms.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, terms) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ entry: { title, page, href, method, text } }) => ({
      title,
      page,
      href,
      method,
      snippet: snippetOf(text, terms),
    }));
}

/** A word in the title counts more than one in the name of the page, and that more than one in the text. */
function scoreOf({ title, page, text, names = '' }, terms) {
  const [inTitle, inPage, inText, inNames] = [title, page, text, names].map((each) => each.toLowerCase());
  let score = 0;
  for (const term of terms) {
    const points =
      (inTitle.startsWith(term) ? 12 : 0) +
      (inTitle.includes(term) ? 10 : 0) +
      (inPage.includes(term) ? 4 : 0) +
      (inText.includes(term) ? 2 : 0) +
      (inNames.includes(term) ? 1 : 0);
    if (points === 0) return 0;
    score += points;
  }
  return score;
}

/** The text around the first word that it has. */
function snippetOf(text, terms) {
  const lower = text.toLowerCase();
  const found = terms.map((term) => lower.indexOf(term)).filter((index) => index >= 0);
  const from = found.length === 0 ? 0 : Math.max(0, Math.min(...found) - 40);
  // Begins and ends between words.
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const end = start + snippetLength;
  const part = text.length <= end ? text.slice(start) : text.slice(start, text.lastIndexOf(' ', end));
  return `${start > 0 ? '… ' : ''}${part}${start + part.length < text.length ? ' …' : ''}`;
}
