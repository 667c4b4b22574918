/** Puts a text into a code fence that nothing in the text can end. */
export function fenced(text: string, language: string = ''): string {
  const runs = text.match(/`+/gu) ?? [];
  const fence = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
  return `${fence}${language}\n${text}\n${fence}`;
}
