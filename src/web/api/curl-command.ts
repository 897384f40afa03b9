interface CommandParts {
  /** JSON to send. */
  body: unknown;
  /** The media type of a file to send. */
  fileType: string | undefined;
  /** The media type of a file that is the response. */
  responseType: string | undefined;
}

/** Works when pasted into a shell where KEY is set, and ID where the path has one. */
export function curlCommand(
  method: string,
  url: string,
  { body, fileType, responseType }: CommandParts,
): string {
  const address = url.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const lines = [`curl "${address}"`, '-H "Authorization: Bearer $KEY"'];
  // curl sends GET, and POST where there is a body.
  if (method !== 'get' && !(method === 'post' && body !== undefined))
    lines[0] = `curl -X ${method.toUpperCase()} "${address}"`;
  if (body !== undefined) {
    // Inside single quotes the shell interprets nothing but the quote itself.
    const json = JSON.stringify(body).replaceAll("'", "'\\''");
    lines.push("-H 'Content-Type: application/json'", `-d '${json}'`);
  }
  if (fileType !== undefined)
    lines.push(`-H 'Content-Type: ${fileType}'`, `--data-binary @file.${fileType.split('/')[1]}`);
  if (responseType !== undefined) lines.push(`--output file.${responseType.split('/')[1]}`);
  return lines.join(' \\\n  ');
}
