/**
 * Whether two facts disagree: they are about the same subject, and differ in a negation, a value or what is used. The rule prefers to
 * miss a disagreement to a false alarm. `disagreement.examples.ts` has the pairs that it was made with and that it was measured with.
 */
import { isInstance, isValue, isWeekday, statementOf, type Statement } from './disagreement-tokens.ts';
import { areAlternatives } from './disagreement-kinds.ts';
import {
  ADDITIVE,
  ATTRIBUTES,
  CHANGES,
  EXCLUSIVE,
  HAN_ATTRIBUTES,
  HAN_PLACES,
  IDENTITIES,
  OPEN_ON_DAYS,
  OPPOSITES,
  OWNING,
  REQUIRED,
} from './disagreement-words.ts';

/** A longer text has more than one statement, and would be found to differ from any other. */
const MAX_CHARACTERS = 400;
/** The shared share of the words that both could have. */
const MIN_SHARED = 0.6;
/** The words that may follow a value in one of two facts. */
const MAX_TRAILING = 2;
const MAX_SLOT = 3;

interface Sides {
  readonly left: Statement;
  readonly right: Statement;
}

function differenceOf(left: readonly string[], right: readonly string[]): string[] {
  const has = new Set(right);
  return [...new Set(left)].filter((word) => !has.has(word));
}

/** Returns the middle in which two lists differ, after their common start and before their common end. */
function middlesOf(left: readonly string[], right: readonly string[]): readonly [string[], string[], start: number] {
  let start = 0;
  while (start < Math.min(left.length, right.length) && left[start] === right[start]) start += 1;
  let end = 0;
  const most = Math.min(left.length, right.length) - start;
  while (end < most && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  return [left.slice(start, left.length - end), right.slice(start, right.length - end), start];
}

/** Joins words as they are written: Chinese ones without spaces. */
function joined(words: readonly string[]): string {
  return words.join(' ').replaceAll(/(?<=\p{Script=Han}) (?=\p{Script=Han})/gu, '');
}

/** Returns whether only one thing can come after these words. */
function isExclusive(before: readonly string[]): boolean {
  const [verb = '', link = ''] = before.slice(-2);
  const last = before.at(-1) ?? '';
  if (EXCLUSIVE.has(`${verb} ${link}`) || EXCLUSIVE.has(last)) return true;
  const subject = before.slice(0, -1);
  if (IDENTITIES.has(last)) return subject.some((word) => ATTRIBUTES.has(word)) || HAN_ATTRIBUTES.test(joined(subject));
  return last === '在' && HAN_PLACES.test(joined(subject));
}

/** Returns whether two statements differ only in one thing that exists once. */
function differInSlot({ left, right }: Sides, isChange: boolean): boolean {
  const [own, other, start] = middlesOf(left.words, right.words);
  if (own.length === 0 || other.length === 0 || own.length > MAX_SLOT || other.length > MAX_SLOT) return false;
  // "Use pnpm" alone has no subject.
  if (left.words.length <= own.length + 1) return false;
  const isAdditive = ADDITIVE.has(left.words[start - 1] ?? '');
  if (!isAdditive && areAlternatives(joined(own), joined(other))) return true;
  if (start === 0) return OWNING.has(left.words[own.length] ?? '');
  return isChange || isExclusive(left.words.slice(0, start));
}

/** Returns whether a value names one of several: "Server 3 is down", and not "Node 24 is required". */
function isName(words: readonly string[], value: string): boolean {
  const place = words.indexOf(value);
  if (place !== 1 || !/^\d/u.test(value)) return false;
  return words.length > 2 && !words.slice(2, 5).some((word) => REQUIRED.has(word));
}

/** Returns whether a statement has only words after the value that the other one lacks, and not of another place or case. */
function isTrailing(words: readonly string[], value: string, extra: readonly string[]): boolean {
  const place = words.indexOf(value);
  return extra.length <= MAX_TRAILING && extra.every((word) => words.indexOf(word) > place);
}

/** Returns whether two statements differ in one value. */
function differInValue({ left, right }: Sides, own: readonly string[], other: readonly string[]): boolean {
  const [[value = '', ...more], [otherValue = '', ...others]] = [own.filter(isValue), other.filter(isValue)];
  // Two different values each may be a number of the subject and a value.
  if (value === '' || otherValue === '' || more.length + others.length > 0) return false;
  if (isName(left.words, value) && isName(right.words, otherValue)) return false;
  if (isWeekday(value) && left.words.some((word) => OPEN_ON_DAYS.has(word))) return false;
  const isSame = (words: readonly string[], at: string, all: readonly string[]): boolean =>
    isTrailing(
      words,
      at,
      all.filter((word) => !isValue(word)),
    );
  return isSame(left.words, value, own) && isSame(right.words, otherValue, other);
}

/** Returns whether two facts disagree. The order does not matter. */
export function disagrees(one: string, another: string): boolean {
  return findDisagreements([one, another])[0]?.length === 1;
}

/** Returns for each text the places of those that it disagrees with. */
export function findDisagreements(texts: readonly string[]): number[][] {
  const read = texts.map((text) =>
    text.length > MAX_CHARACTERS ? undefined : { statement: statementOf(text), isChange: CHANGES.test(text) },
  );
  return read.map((left, place) =>
    read.flatMap((right, other) => {
      if (other === place || left === undefined || right === undefined) return [];
      const sides = { left: left.statement, right: right.statement };
      return statementsDisagree(sides, left.isChange || right.isChange) ? [other] : [];
    }),
  );
}

function statementsDisagree(sides: Sides, isChange: boolean): boolean {
  const { left, right } = sides;
  const [own, other] = [differenceOf(left.words, right.words), differenceOf(right.words, left.words)];
  const shared = new Set(left.words.filter((word) => right.words.includes(word)));
  const fewer = Math.min(new Set(left.words).size, new Set(right.words).size);
  if (fewer === 0 || shared.size === 0) return false;
  if (own.some(isInstance) || other.some(isInstance)) return false;
  const share = shared.size / fewer;
  // One names what the other rejects.
  const isRejected = (rejected: ReadonlySet<string>, by: Statement): boolean =>
    [...rejected].some((word) => by.words.includes(word) && !by.rejected.has(word));
  if (share >= MIN_SHARED / 2 && (isRejected(left.rejected, right) || isRejected(right.rejected, left))) return true;
  const [ownWords, otherWords] = [own, other].map((words) => words.filter((word) => !isValue(word))) as [
    string[],
    string[],
  ];
  const isNegated = left.negations % 2 !== right.negations % 2;
  if (ownWords.some((word) => otherWords.includes(OPPOSITES.get(word) ?? ''))) {
    return !isNegated && ownWords.length === 1 && otherWords.length === 1 && share >= MIN_SHARED / 2;
  }
  if (isNegated) return share >= MIN_SHARED && own.length + other.length <= 1 && !own.concat(other).some(isValue);
  if (differInSlot(sides, isChange)) return true;
  // Each names something that the other does not: another subject.
  if (ownWords.length > 0 && otherWords.length > 0) return false;
  return share >= MIN_SHARED / 2 && differInValue(sides, own, other);
}
