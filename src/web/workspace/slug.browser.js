// Shows the address of a new workspace while its name is typed. The server decides: see src/workspaces/slug.ts.

const maxLength = 30;

function slugOf(name) {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, maxLength)
    .replace(/-$/, '');
  return slug || 'workspace';
}

for (const output of document.querySelectorAll('[data-slug-of]')) {
  const input = output.closest('form').elements.namedItem(output.dataset.slugOf);
  const update = () => {
    output.value = slugOf(input.value);
  };
  input.addEventListener('input', update);
  update();
}
