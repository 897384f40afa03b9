/** Words for people go to standard error; standard output has the results alone. */
export function say(line: string): void {
  console.error(line);
}

export function print(line: string): void {
  console.log(line);
}
