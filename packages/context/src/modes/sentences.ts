/** Names that have a dot before their last part: files and hosts. After any other dot a sentence ends. */
const ENDINGS =
  'bat bash c cc cfg cjs conf cpp cs css csv cts db doc docx env exe gif git go gql graphql gradle gz h hpp htm html ini ipynb jar java jpeg ' +
  'jpg js json jsonc jsonl jsx kt less lock log lua md mdx mjs mp3 mp4 mts net npmrc odt pdf php pl png ppt pptx proto ps1 py rb rs scss ' +
  'sh sql sqlite svelte svg swift tar tf toml ts tsv tsx txt vue wasm webp xls xlsx xml yaml yml zip zsh ' +
  'NET ai app cn co com de dev edu eu fr gov io jp me org test tv uk us local internal example localhost';

/** A dot inside a name, a number or an abbreviation. */
const INNER_DOT = new RegExp(
  [
    // A number or a version: 3.5, v18.2.
    String.raw`(?<=\d)\.(?=\d)`,
    // Before the last part of a name, or before parts that lead to it: app.config.ts, example.com, .env, .NET.
    String.raw`(?<=[\p{L}\p{N}_\-/*@\s(\x60"']|^)\.(?=(?:[\w-]+\.){0,4}(?:${ENDINGS.replaceAll(' ', '|')})(?![\p{L}\p{N}_]))`,
    // A path: ./src, ../src, ~/.config.
    String.raw`\.(?=\.?/)`,
    String.raw`(?<=/)\.(?=\w)`,
    String.raw`(?<=\b[eE])\.(?=[gG]\.)|(?<=\b[eE]\.[gG])\.(?!$)|(?<=\b[iI])\.(?=[eE]\.)|(?<=\b[iI]\.[eE])\.(?!$)|(?<=\bvs)\.(?!$)`,
  ].join('|'),
  'uy',
);

const SENTENCE_END = /[.!?。！？]|[\r\n\u2028\u2029]/gu;
/** Further marks and closing signs, which belong to the sentence before them. */
const AFTER_END = /[.!?。！？"'”’」』）)\]*_`]*/uy;

/**
 * Splits a string into sentences, without spaces round them. A sentence ends at one of `.!?。！？` or at the end of a line. A dot
 * inside a number, a version, a path or the name of a known kind of file or host does not end it.
 */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let from = 0;
  const add = (to: number): void => {
    const sentence = text.slice(from, to).trim();
    if (sentence !== '') sentences.push(sentence);
    from = to;
  };
  SENTENCE_END.lastIndex = 0;
  for (let found = SENTENCE_END.exec(text); found !== null; found = SENTENCE_END.exec(text)) {
    const { index } = found;
    INNER_DOT.lastIndex = index;
    if (found[0] === '.' && INNER_DOT.test(text)) continue;
    AFTER_END.lastIndex = index + 1;
    const end = index + 1 + (/[\r\n\u2028\u2029]/u.test(found[0]) ? 0 : (AFTER_END.exec(text)?.[0].length ?? 0));
    add(end);
    SENTENCE_END.lastIndex = end;
  }
  add(text.length);
  return sentences;
}
