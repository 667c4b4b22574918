/** Quotes a word for a POSIX shell when it needs quotes. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/u.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
