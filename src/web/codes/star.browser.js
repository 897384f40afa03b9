// Marks a code as a favorite where it is: the page stays, and so do the focus and the place on it.

const forms = document.querySelectorAll('.star-form');
const status = document.createElement('p');
status.className = 'unseen';
status.setAttribute('role', 'status');
if (forms.length > 0) document.body.append(status);

function showFavorite(form, isFavorite, words) {
  const button = form.querySelector('.star');
  button.setAttribute('aria-pressed', String(isFavorite));
  button.textContent = isFavorite ? '★' : '☆';
  button.title = isFavorite ? 'Remove from favorites' : 'Add to favorites';
  form.elements.isFavorite.value = String(!isFavorite);
  status.textContent = words;
}

async function send(form) {
  const isFavorite = form.elements.isFavorite.value === 'true';
  const answer = await fetch(form.action, {
    method: 'POST',
    headers: { Accept: 'application/json' },
    body: new URLSearchParams(new FormData(form)),
  }).catch(() => undefined);
  // As without this script: the page that follows says what is wrong.
  if (!answer?.ok || answer.redirected) return form.submit();
  const { done } = await answer.json();
  showFavorite(form, isFavorite, done);
}

for (const form of forms) {
  let isSending = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    // Not the guard of other forms, which would hold up the next click for seconds.
    event.stopPropagation();
    if (isSending) return;
    isSending = true;
    void send(form).finally(() => {
      isSending = false;
    });
  });
}
