/** Messages for programs name fields as the API does. People read "foreground color". */
export function withFieldsInWords(message: string): string {
  return message.replaceAll(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (name) =>
    name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  );
}
