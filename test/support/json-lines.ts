/** The lines of a log. Throws, with the line, if one is not a JSON object. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      try {
        if (line.startsWith('{')) return JSON.parse(line) as Record<string, unknown>;
      } catch {
        // Reported below.
      }
      throw new Error(`Not a JSON line: ${line}`);
    });
}
