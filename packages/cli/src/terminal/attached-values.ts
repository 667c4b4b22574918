import type { Option } from 'commander';

/** Splits a word of short options at the `=` before the value of the last one. */
function split(
  word: string,
  options: readonly Option[],
): { readonly words: readonly string[]; readonly isOpen: boolean } {
  for (let index = 1; index < word.length; index += 1) {
    const option = options.find(({ short }) => short === `-${word[index]}`);
    if (option === undefined || option.optional) break;
    if (!option.required) continue;
    const value = word.slice(index + 1);
    if (value.startsWith('=')) return { words: [word.slice(0, index + 1), value.slice(1)], isOpen: false };
    return { words: [word], isOpen: value === '' };
  }
  return { words: [word], isOpen: false };
}

/** Returns the words with `-e=TEXT` as `-e TEXT`, as ripgrep and fd read it. commander would take `=TEXT` as the value. */
export function splitShortValues(words: readonly string[], options: readonly Option[]): string[] {
  const result: string[] = [];
  let isValue = false;
  for (const [index, word] of words.entries()) {
    if (isValue) {
      result.push(word);
      isValue = false;
    } else if (word === '--') {
      return [...result, ...words.slice(index)];
    } else if (word.startsWith('--')) {
      result.push(word);
      isValue = options.some(({ long, required }) => long === word && required);
    } else if (word.startsWith('-')) {
      const parts = split(word, options);
      result.push(...parts.words);
      isValue = parts.isOpen;
    } else {
      result.push(word);
    }
  }
  return result;
}
