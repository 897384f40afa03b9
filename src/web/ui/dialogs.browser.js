// A link with `data-dialog` opens its page, which has a single card, as a dialog over this one. Without scripts it is a page.

const dialog = document.createElement('dialog');
dialog.setAttribute('aria-labelledby', 'dialog-title');

document.addEventListener('click', (event) => {
  const { target, button, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (button !== 0 || altKey || ctrlKey || metaKey || shiftKey) return;
  if (target.closest('dialog [data-close]') || target === dialog) {
    event.preventDefault();
    dialog.close();
    return;
  }
  const link = target.closest('a[data-dialog]');
  if (!link) return;
  event.preventDefault();
  open(link).catch(() => location.assign(link.href));
});

async function open(link) {
  const response = await fetch(link.href);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const card = page.querySelector('main > .card.narrow');
  // Somebody who is signed out since gets another page.
  if (!response.ok || response.redirected || !card) throw new Error('Not a page for a dialog');
  card.querySelector('h1').id = 'dialog-title';
  dialog.replaceChildren(document.importNode(card, true));
  document.body.append(dialog);
  // The menu that the link is in. Its button gets the focus back.
  const menu = link.closest('details.menu');
  if (menu) {
    menu.open = false;
    menu.querySelector('summary').focus();
  }
  dialog.showModal();
}
