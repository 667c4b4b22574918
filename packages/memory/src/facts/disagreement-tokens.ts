/** Reads the words, values and names of a fact that another one may contradict. */
import { HAN_INSTANCES, IDLE, INSTANCES, INSTEAD, NEGATIONS, VERSIONS } from './disagreement-words.ts';

const NUMBER_WORDS = new Map(
  'one two three four five six seven eight nine ten'.split(' ').map((word, index) => [word, String(index + 1)]),
);
const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const MONTH = `(${MONTHS.join('|')}|${MONTHS.map((month) => month.slice(0, 3)).join('|')})`;
const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$|^(?:周|星期|礼拜)[一二三四五六日天]$/u;
const MONTH_ALONE = new RegExp(String.raw`^(?:${MONTHS.filter((month) => month !== 'may').join('|')})$`, 'u');

/** Seconds, and bytes, of a unit. */
const UNITS: ReadonlyMap<string, readonly [kind: string, factor: number]> = new Map(
  Object.entries({
    'ms,millisecond,milliseconds,毫秒': ['s', 0.001],
    's,sec,secs,second,seconds,秒': ['s', 1],
    'min,mins,minute,minutes,分钟': ['s', 60],
    'h,hour,hours,hr,hrs,小时': ['s', 3600],
    'd,day,days,天': ['s', 86_400],
    'week,weeks,星期,周': ['s', 604_800],
    'kb,kib': ['b', 1e3],
    'mb,mib,兆': ['b', 1e6],
    'gb,gib': ['b', 1e9],
    'tb,tib': ['b', 1e12],
  } as const).flatMap(([names, unit]) => names.split(',').map((name) => [name, unit] as const)),
);
const UNIT_NAMES = [...UNITS.keys()].toSorted((left, right) => right.length - left.length).join('|');

/** Values have this mark, so that no word is taken for one; names of one of several have another. */
const VALUE = '=';
const INSTANCE = '#';

/** Patterns whose match is one token, in this order, each with the token. */
const MERGES: readonly (readonly [RegExp, (match: readonly string[]) => string])[] = [
  [
    /\bhttps?:\/\/[^\s,;。，；）)]+|\b[\w.+-]+@[\w-]+\.[\w.]+/giu,
    ([url = '']) => `${VALUE}${url.replace(/[./]+$/u, '')}`,
  ],
  [
    new RegExp(String.raw`\b(\d{1,2})(?:st|nd|rd|th)? ${MONTH}\b(?: (\d{4})\b)?`, 'giu'),
    ([, day, month, year]) => dateOf(month, day, year),
  ],
  [
    new RegExp(String.raw`\b${MONTH} (\d{1,2})(?:st|nd|rd|th)?\b(?:,? (\d{4})\b)?`, 'giu'),
    ([, month, day, year]) => dateOf(month, day, year),
  ],
  [
    /(?:(\d{4}) ?年 ?)?(\d{1,2}) ?月 ?(\d{1,2}) ?[日号]/gu,
    ([, year, month, day]) => `${VALUE}date${month}-${day}-${year ?? ''}`,
  ],
  [
    new RegExp(String.raw`(?<![\w.:/-])(\d+(?:\.\d+)?) ?(${UNIT_NAMES})(?![a-z])`, 'giu'),
    ([all = '', amount, unit = '']) => {
      const [kind, factor] = UNITS.get(unit.toLowerCase()) ?? [];
      return factor === undefined ? all : `${VALUE}${Number((Number(amount) * factor).toPrecision(12))}${kind}`;
    },
  ],
  [
    new RegExp(String.raw`\b(${INSTANCES}) (?:#|no\. ?)?(\d[\w.-]*)`, 'giu'),
    ([, noun = '', name]) => `${INSTANCE}${noun.toLowerCase()}${name}`,
  ],
  // The letter is a name and no article.
  [
    new RegExp(String.raw`\b(${INSTANCES}) ([A-Z])\b`, 'giu'),
    ([all = '', noun, name = '']) => (/[A-Z]/u.test(name) ? `${INSTANCE}${noun}${name}` : all),
  ],
  [
    new RegExp(String.raw`^((?:The )?)(${VERSIONS}) ?(\d[\w.-]*)`, 'iu'),
    ([, , noun, name]) => `${INSTANCE}${noun}${name}`,
  ],
  [
    new RegExp(String.raw`(${HAN_INSTANCES}) ?(\d+)( ?[章节步期轮季周条项号层页课])?`, 'gu'),
    ([, noun, name, of = '']) => `${INSTANCE}${noun}${name}${of.trim()}`,
  ],
];

function dateOf(month = '', day = '', year = ''): string {
  const number = MONTHS.findIndex((name) => name.startsWith(month.toLowerCase().slice(0, 3))) + 1;
  return `${VALUE}date${number}-${Number(day)}-${year}`;
}

const TOKEN =
  /<\d+>|\d+(?:[.:/-]\d+)*%?|(?:周|星期|礼拜)[一二三四五六日天]|不再使用|不再用|没有|不再|不要|不能|不用|不会|禁止|停用|使用|采用|改为|改用|改成|换成|部署|运行|喜欢|现在|目前|已经|我们|应该|必须|需要|可以|开启|关闭|启用|允许|必需|可选|同步|异步|负责|主管|维护|叫做|[\p{Script=Han}]|[\p{L}\p{N}_][\p{L}\p{N}_.+#-]*/gu;

export interface Statement {
  /** Words, values and names in order, without idle words and negations. */
  readonly words: readonly string[];
  readonly negations: number;
  /** What it names to reject it. */
  readonly rejected: ReadonlySet<string>;
}

export function isValue(word: string): boolean {
  return word.startsWith(VALUE) || /^\d/u.test(word) || WEEKDAY.test(word) || MONTH_ALONE.test(word);
}

export function isWeekday(word: string): boolean {
  return WEEKDAY.test(word);
}

/** Whether a word is the name of one of several, such as "Sprint 12". */
export function isInstance(word: string): boolean {
  return word.startsWith(INSTANCE);
}

/** Cuts the ending of an English word, so that `uses` and `use` are one. */
export function stem(word: string): string {
  if (WEEKDAY.test(word)) return word.replace(/s$/u, '');
  if (!/^[a-z]{4,}$/u.test(word)) return word;
  return word
    .replace(/(?<=[a-z]{3})(?:ies)$/u, 'y')
    .replace(/(?<=[a-z]{2}(?:s|x|ch|sh))es$/u, '')
    .replace(/(?<=[^su])s$/u, '');
}

function wordsIn(text: string): string[] {
  const merged: string[] = [];
  const keep = (token: string): string => `<${merged.push(token) - 1}>`;
  let rest = text.normalize('NFKC').replaceAll(/[<>]/gu, ' ');
  for (const [pattern, tokenOf] of MERGES) {
    rest = rest.replace(pattern, (...found: unknown[]) => {
      const match = found.map((part) => (typeof part === 'string' ? part : undefined)) as string[];
      const token = tokenOf(match);
      return token === match[0] ? token : ` ${keep(token.toLowerCase())} `;
    });
  }
  const lower = rest.toLowerCase().replace(/(?<=[a-z])['’](?=[a-z])/gu, '');
  return Array.from(lower.matchAll(TOKEN), ([token]) => {
    const place = /^<(\d+)>$/u.exec(token)?.[1];
    if (place !== undefined) return merged[Number(place)] ?? '';
    const word = token.replace(/[.-]+$/u, '');
    return NUMBER_WORDS.get(word) ?? stem(word);
  });
}

export function statementOf(text: string): Statement {
  // Words after "instead of" are rejected: they are not a part of the statement, up to the end of the clause.
  const parts = text.split(INSTEAD);
  const rejected = new Set(parts.slice(1).flatMap((part) => wordsIn(part.split(/[.,;。，；]/u)[0] ?? '').slice(0, 2)));
  const all = wordsIn([parts[0], ...parts.slice(1).map((part) => part.replace(/^[^.,;。，；]*/u, ' '))].join(' '));
  const words = all.filter((word) => !IDLE.has(word) && !NEGATIONS.has(word));
  return { words, negations: all.filter((word) => NEGATIONS.has(word)).length, rejected };
}
