// Not a module: runs before the examples are drawn, so that the language which the reader chose before does not replace
// another one on the screen.

try {
  const language = localStorage.getItem('docs-language');
  if (language) document.documentElement.dataset.language = language;
} catch {
  // The browser keeps nothing for this site. Each page begins with the first language.
}
