export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/u.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
