/** Progress. On stderr, so that stdout holds only the results. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
