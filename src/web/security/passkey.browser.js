// Creates a passkey or signs in with one: asks the server what to sign, and submits the form with the signature.

import { announce, prepareAnnouncements } from '../ui/announce.browser.js';

const failureText = 'The passkey could not be used. Try again, or choose another way.';

const ceremonies = {
  create: async (options) =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    }),
  get: async (options) =>
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
};

async function sign(form, kind) {
  const response = await fetch(`${form.action}/options`, {
    method: 'POST',
    headers: { Accept: 'application/json' },
    body: new URLSearchParams(new FormData(form)),
  });
  // The server says what is wrong, such as a password, when the form is submitted without a signature.
  if (response.ok) {
    const credential = await ceremonies[kind](await response.json());
    form.elements.namedItem('response').value = JSON.stringify(credential.toJSON());
  }
  form.submit();
}

if (window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  for (const button of document.querySelectorAll('[data-passkey]')) {
    const { form } = button;
    let isSigning = false;
    prepareAnnouncements();
    button.hidden = false;
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      // Such as the button that confirms the owner first.
      if (event.submitter?.hasAttribute('formaction')) return;
      event.preventDefault();
      event.stopPropagation();
      if (isSigning) return;
      isSigning = true;
      sign(form, button.dataset.passkey)
        // Canceled, or there is no passkey for this site.
        .catch(() => {
          const message = form.querySelector('.error') ?? document.createElement('p');
          message.className = 'error';
          message.textContent = failureText;
          form.append(message);
          announce(failureText);
        })
        .finally(() => {
          isSigning = false;
        });
    });
  }
}
