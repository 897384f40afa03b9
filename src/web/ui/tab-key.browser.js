// The API key that somebody tries the docs with. It stays in this tab, and only while the same account is signed in, or
// nobody is: every page, also the one after signing out, removes the key of another account.

const name = 'docs-key';
const account = document.documentElement.dataset.account ?? '';

/** Empty if there is none. */
export function readTabKey() {
  try {
    const kept = sessionStorage.getItem(name) ?? '';
    const mark = kept.indexOf(' ');
    if (mark >= 0 && kept.slice(0, mark) === account) return kept.slice(mark + 1);
    sessionStorage.removeItem(name);
  } catch {
    // A browser that stores nothing keeps nothing.
  }
  return '';
}

export function keepTabKey(key) {
  try {
    if (key === '') sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, `${account} ${key}`);
  } catch {
    // Kept until the page is left.
  }
}

readTabKey();
