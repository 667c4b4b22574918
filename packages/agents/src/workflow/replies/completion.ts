export type Completion =
  | { readonly isValid: true; readonly value: number; readonly rest: string }
  | { readonly isValid: false };

const NUMBER =
  /^[\s"'“”‘’「[（(*_`]*(?:(?:about|around|approximately|大约|约|≈|~)\s*)?(\d+(?:[.,]\d+)?|[.,]\d+)\s*(?:(%)|\/\s*(\d+(?:[.,]\d+)?))?/iu;
/** Another number that the first one is a part of, such as of a range or of a date. */
const LONGER = /^(?:\s*(?:[-–—~～至到/:：]|to\b|or\b|或)\s*\d|[.,]?\d|\s*%)/iu;
const WORD = /^\s*[\p{L}\p{N}]/u;

/** Replaces full-width digits and signs, one for one. */
function toHalfWidth(text: string): string {
  return text.replaceAll(/[０-９．，％／]/gu, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfe_e0));
}

/** Reads `0.8`, `0,8`, `80%`, `4/5`, with an explanation after it. A number elsewhere, or `1 file`, may count something else. */
export function parseCompletion(text: string): Completion {
  const half = toHalfWidth(text);
  const found = NUMBER.exec(half);
  const [all = '', number = '', percent, of] = found ?? [];
  const after = half.slice(all.length);
  const isBare = /^\d+$/u.test(number) && percent === undefined && of === undefined;
  if (!found || LONGER.test(after) || (isBare && WORD.test(after))) return { isValid: false };
  const total = percent === undefined ? Number((of ?? '1').replace(',', '.')) : 100;
  const value = Number(number.replace(',', '.')) / total;
  if (!(value >= 0 && value <= 1)) return { isValid: false };
  return { isValid: true, value, rest: text.slice(all.length) };
}
