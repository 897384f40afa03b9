// Lets people see the password that they type. It is hidden again when the form is sent, so that browsers do not remember it as
// a text.

for (const button of document.querySelectorAll('.secret > button')) {
  const input = document.getElementById(button.getAttribute('aria-controls'));
  const show = (isShown) => {
    input.type = isShown ? 'text' : 'password';
    button.ariaPressed = String(isShown);
  };
  button.hidden = false;
  button.addEventListener('click', () => show(input.type === 'password'));
  input.form.addEventListener('submit', () => show(false));
}
