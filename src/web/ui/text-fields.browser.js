/** The fields of a form as it would be sent without its files, which the server does not need for a preview or a check. */
export function textFields(form) {
  return new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === 'string'));
}
