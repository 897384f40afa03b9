/** Messages for people go to standard error; standard output has only results, so that they can be piped. */
export function printMessage(line: string): void {
  console.error(line);
}

export function printResult(line: string): void {
  console.log(line);
}
