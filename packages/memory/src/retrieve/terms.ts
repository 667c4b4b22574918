/** The terms of a text: words in lower case, runs of Han and kana as overlapping pairs. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [word] of text
    .normalize('NFKC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu)) {
    for (const [run] of word.matchAll(
      /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+/gu,
    )) {
      const characters = [...run];
      if (!/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(run) || characters.length === 1) terms.push(run);
      else
        for (let index = 1; index < characters.length; index++)
          terms.push(`${characters[index - 1]}${characters[index]}`);
    }
  }
  return terms;
}
