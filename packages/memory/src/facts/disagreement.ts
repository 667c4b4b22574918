/**
 * Whether two facts disagree: they are about the same subject, and differ in a negation, a value or what is used. The rule prefers to
 * miss a disagreement to a false alarm. `disagreement.examples.ts` has the pairs that it was made with and that it was measured with.
 */

/** Words that say nothing about the subject, or when or how surely something holds. */
const IDLE = new Set(
  (
    'a an the this that these those of for our my your their its it we i you they there here and or as so ' +
    'now currently today since always usually already just still also all every each please ' +
    'should must can may might will would shall do does did has have had been be was were am ' +
    '的 了 在 是 我们 现在 目前 已 已经 都 也 就 应该 必须 需要 要 会 能 可以 请 每'
  ).split(' '),
);
/** Words that a value or a name follows. */
const LINKS = new Set(
  (
    'is are equals use used run run-on run-with write with on to in by via from prefer at like deploy host store build test call ' +
    'named become own ' +
    '为 是 用 使用 采用 改为 改用 叫 喜欢 部署 运行 存 由'
  ).split(' '),
);
const NEGATIONS = new Set(
  'not no never without cannot dont doesnt isnt arent wont cant shouldnt mustnt neither avoid stop disabled forbidden 不 没 没有 未 无 禁止 不要 不再 不能 不用 不会 别 停用'.split(
    ' ',
  ),
);
/** Words after these are rejected in favor of another thing. */
const INSTEAD = /\b(?:instead of|rather than|and not|, not|but not)\b|而不是|而非|代替|不再用|不再使用/giu;
const OPPOSITES: ReadonlyMap<string, string> = new Map(
  'enabled:disabled on:off true:false required:optional allow:forbid allowed:forbidden public:private before:after 开启:关闭 启用:停用 允许:禁止 必需:可选 同步:异步'
    .split(' ')
    .flatMap((pair) => {
      const [left = '', right = ''] = pair.split(':');
      return [
        [left, right],
        [right, left],
      ] as const;
    }),
);
const NUMBER_WORDS = new Map(
  'one two three four five six seven eight nine ten'.split(' ').map((word, index) => [word, String(index + 1)]),
);
/** Days and months are values: a date is one or more of them. */
const CALENDAR =
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$|^(?:january|february|march|april|june|july|august|september|october|november|december)$|^(?:周|星期)[一二三四五六日天]$/u;

const TOKEN =
  /\d+(?:[.:/-]\d+)*%?|(?:周|星期)[一二三四五六日天]|不再使用|不再用|没有|不再|不要|不能|不用|不会|禁止|停用|使用|采用|改为|改用|部署|运行|喜欢|现在|目前|已经|我们|应该|必须|需要|可以|开启|关闭|启用|允许|必需|可选|同步|异步|[\p{Script=Han}]|[\p{L}\p{N}_][\p{L}\p{N}_.+#-]*/gu;

/** A longer text has more than one statement, and would be found to differ from any other. */
const MAX_CHARACTERS = 400;
/** The shared share of the words that both could have. */
const MIN_SHARED = 0.6;

interface Statement {
  /** Words and values in order, without idle words and negations. */
  readonly words: readonly string[];
  readonly negations: number;
  /** What it names to reject it. */
  readonly rejected: ReadonlySet<string>;
}

const VALUE = /^\d/u;

function isValue(word: string): boolean {
  return VALUE.test(word) || CALENDAR.test(word);
}

/** Cuts the ending of an English word, so that `uses` and `use` are one. */
function stem(word: string): string {
  if (!/^[a-z]{4,}$/u.test(word) || CALENDAR.test(word)) return word;
  return word
    .replace(/(?<=[a-z]{3})(?:ies)$/u, 'y')
    .replace(/(?<=[a-z]{2}(?:s|x|ch|sh))es$/u, '')
    .replace(/(?<=[^su])s$/u, '');
}

function wordsIn(text: string): string[] {
  const lower = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=[a-z])['’](?=[a-z])/gu, '');
  return Array.from(lower.matchAll(TOKEN), ([token]) => {
    const word = token.replace(/[.-]+$/u, '');
    return NUMBER_WORDS.get(word) ?? stem(word);
  });
}

function statementOf(text: string): Statement {
  // Words after "instead of" are rejected: they are not a part of the statement, up to the end of the clause.
  const parts = text.split(INSTEAD);
  const rejected = new Set(parts.slice(1).flatMap((part) => wordsIn(part.split(/[.,;。，；]/u)[0] ?? '').slice(0, 2)));
  const all = wordsIn([parts[0], ...parts.slice(1).map((part) => part.replace(/^[^.,;。，；]*/u, ' '))].join(' '));
  const words = all.filter((word) => !IDLE.has(word) && !NEGATIONS.has(word) && word !== 'longer' && word !== 'any');
  return { words, negations: all.filter((word) => NEGATIONS.has(word)).length, rejected };
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

/** Returns whether two statements are the same but for one thing after a verb such as "use" or "is". */
function differInSlot(left: Statement, right: Statement): boolean {
  const [own, other, start] = middlesOf(left.words, right.words);
  if (own.length === 0 || other.length === 0 || own.length > 3 || other.length > 3) return false;
  const link = left.words[start - 1];
  if (link === undefined || !LINKS.has(link)) return false;
  // Words after another verb may be about another place: "use tabs in Go".
  if ([...own, ...other].some((word) => LINKS.has(word))) return false;
  // "Use pnpm" alone has no subject.
  return left.words.length > own.length + 1;
}

/** Returns whether two facts disagree. The order does not matter. */
export function disagrees(one: string, another: string): boolean {
  if (one.length > MAX_CHARACTERS || another.length > MAX_CHARACTERS) return false;
  return statementsDisagree(statementOf(one), statementOf(another));
}

/** Returns for each text the places of those that it disagrees with. */
export function findDisagreements(texts: readonly string[]): number[][] {
  const statements = texts.map((text) => (text.length > MAX_CHARACTERS ? undefined : statementOf(text)));
  return statements.map((left, place) =>
    statements.flatMap((right, other) =>
      other !== place && left && right && statementsDisagree(left, right) ? [other] : [],
    ),
  );
}

function statementsDisagree(left: Statement, right: Statement): boolean {
  const [own, other] = [differenceOf(left.words, right.words), differenceOf(right.words, left.words)];
  const shared = new Set(left.words.filter((word) => right.words.includes(word)));
  const fewer = Math.min(new Set(left.words).size, new Set(right.words).size);
  if (fewer === 0 || shared.size === 0) return false;
  const share = shared.size / fewer;
  // One names what the other rejects.
  const isRejected = (rejected: ReadonlySet<string>, by: Statement): boolean =>
    [...rejected].some((word) => by.words.includes(word) && !by.rejected.has(word));
  if (share >= MIN_SHARED / 2 && (isRejected(left.rejected, right) || isRejected(right.rejected, left))) return true;
  const ownValues = own.filter(isValue);
  const otherValues = other.filter(isValue);
  const ownWords = own.filter((word) => !isValue(word));
  const otherWords = other.filter((word) => !isValue(word));
  const isNegated = left.negations % 2 !== right.negations % 2;
  if (ownWords.some((word) => otherWords.includes(OPPOSITES.get(word) ?? ''))) {
    return !isNegated && ownWords.length === 1 && otherWords.length === 1 && share >= MIN_SHARED / 2;
  }
  if (share < MIN_SHARED) return differInSlot(left, right) && !isNegated;
  // Each names something that the other does not: another subject, unless it is what the verb is about.
  const isOther = ownWords.length > 0 && otherWords.length > 0;
  if (isNegated) return !isOther && ownValues.length * otherValues.length === 0 && own.length + other.length <= 2;
  if (isOther) return differInSlot(left, right);
  // Two different values each may be a number of the subject and a value.
  return ownValues.length === 1 && otherValues.length === 1 && ownWords.length + otherWords.length <= 2;
}
