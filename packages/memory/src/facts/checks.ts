/** Checks what a caller passes, before anything is read or written. */
import { quoted } from '@cairn/tool/kernel';
import { findStoredSecrets, placeOf } from '@cairn/tool/internal';
import { MemoryError } from '../errors.ts';
import { refuse } from '../records/checks.ts';
import { checkName } from '../records/keys.ts';
import { checkContent, type Limits } from '../records/limits.ts';

export const MAX_TAGS = 50;
/** In UTF-16 code units. */
const MAX_TAG_LENGTH = 100;

/** Returns the text of a fact without the blanks around it. @throws {MemoryError} `INVALID_INPUT`, `TOO_LARGE`. */
export function checkText(text: unknown, limits: Limits): string {
  const content = checkContent(typeof text === 'string' ? text.trim() : text, 'fact', limits);
  // With `u`, a surrogate is a separate code point only if its other half is missing.
  if (/\p{Cs}/u.test(content)) {
    refuse('The content of the fact is not well-formed Unicode', 'Remove unpaired surrogates.');
  }
  return content;
}

/** Returns tags without repetitions, which may differ in case. @throws {MemoryError} `INVALID_INPUT`. */
export function checkTags(tags: unknown): readonly string[] {
  if (!Array.isArray(tags)) return refuse('The tags are not a list', 'Pass a list of strings.');
  const byKey = new Map<string, string>();
  for (const tag of tags as readonly unknown[]) {
    const text = typeof tag === 'string' ? tag.trim().normalize('NFC') : tag;
    checkName(text, 'tag');
    const name = text as string;
    if (name.includes(',') || name.length > MAX_TAG_LENGTH) {
      const problem = name.includes(',') ? 'has a comma' : `has more than ${MAX_TAG_LENGTH} characters`;
      refuse(`The tag ${quoted(name)} ${problem}`, 'Use several short tags without commas.');
    }
    const key = tagKey(name);
    if (!byKey.has(key)) byKey.set(key, name);
  }
  if (byKey.size > MAX_TAGS) refuse(`${byKey.size} tags are more than ${MAX_TAGS}`, 'Use fewer tags.');
  return [...byKey.values()];
}

/** Returns the tags of a fact with more tags, each once. @throws {MemoryError} `INVALID_INPUT` when these are too many. */
export function unionTags(present: readonly string[], added: readonly string[]): readonly string[] {
  const known = new Set(present.map(tagKey));
  const tags = [...present, ...added.filter((tag) => !known.has(tagKey(tag)))];
  if (tags.length > MAX_TAGS && tags.length > present.length) {
    refuse(`${tags.length} tags are more than ${MAX_TAGS}`, 'Use fewer tags.');
  }
  return tags;
}

/** Returns a tag without its case, to compare it. */
export function tagKey(tag: string): string {
  return tag.trim().normalize('NFC').toLowerCase();
}

/**
 * Checks the content of a fact, then its tags and its source.
 *
 * @throws {MemoryError} `SECRET` with the kind and the place. The message does not show the secret.
 */
export function checkSecrets(texts: readonly string[], allowSecret: boolean | undefined): void {
  if (allowSecret === true) return;
  for (const [index, text] of texts.entries()) {
    const [secret] = findStoredSecrets(text);
    if (secret === undefined) continue;
    const { line, column } = placeOf(text, secret.start);
    const place = index === 0 ? `line ${line}, column ${column}` : 'in a tag or the source';
    const summary = `The fact contains a secret (${place}: ${secret.kind})`;
    throw new MemoryError('SECRET', [summary, 'Remove it, or pass allowSecret. Nothing was stored.']);
  }
}
