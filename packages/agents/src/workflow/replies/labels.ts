/** The labels of answers as text, in both languages. Models decorate them, so lists, headings, bold text and brackets count too. */
import { isObject, type Fields } from '@cairn/tool';
import { parseJson } from '../../model/parse-json.ts';

/** A part of an answer: the text after a label. The text before the first label has none. */
export interface Section<Label extends string> {
  readonly label: Label | undefined;
  readonly text: string;
}

export type Labels<Label extends string> = Readonly<Record<Label, string>>;

const PREFIX = String.raw`[\s>]*(?:(?:[-*+•]|#{1,6})\s+|\d{1,2}(?:[.)]\s+|[、．]\s*))*`;
const MARKS = '*_`';
const CLOSERS: Readonly<Record<string, string>> = { '【': '】', '「': '」', '[': ']', '［': '］' };

/** Splits a string into lines at every line end that models write. */
export function linesOf(text: string): string[] {
  return text.replace(/^\uFEFF/u, '').split(/\r\n?|[\n\u2028\u2029]/u);
}

/** Removes characters from both ends. A regular expression needs quadratic time for that. */
function strip(text: string, characters: string): string {
  let [start, end] = [0, text.length];
  while (start < end && characters.includes(text.charAt(start))) start++;
  while (end > start && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Returns the text after a label, without the decoration that began before the label; `undefined` when it is not a label. */
function valueAfter(open: string, close: string, rest: string): string | undefined {
  const brackets = [...open].filter((character) => character in CLOSERS).map((character) => CLOSERS[character]);
  const closed = [...close].filter((character) => !MARKS.includes(character));
  if (brackets.toReversed().join('') !== closed.join('')) return undefined;
  const colon = /^\s*[:：]/u.exec(rest);
  if (!colon) return rest.trim() === '' || brackets.includes('】') ? rest.trim() : undefined;
  const value = rest.slice(colon[0].length).trim();
  const hasMarks = (text: string): boolean => [...text].some((character) => MARKS.includes(character));
  return hasMarks(open) && !hasMarks(close) ? strip(value, MARKS).trim() : value;
}

type Match<Label> = (line: string) => { readonly label: Label; readonly value: string } | undefined;

function createMatcher<Label extends string>(labels: Labels<Label>): Match<Label> {
  const patterns = Object.entries<string>(labels).map(
    ([label, names]) =>
      [label as Label, new RegExp(`^${PREFIX}([*_\`【「[［]*)(?:${names})([*_\`】」\\]］]*)(.*)$`, 'isu')] as const,
  );
  return (line) => {
    for (const [label, pattern] of patterns) {
      const [, open, close, rest] = pattern.exec(line) ?? [];
      if (open === undefined || close === undefined || rest === undefined) continue;
      const value = valueAfter(open, close, rest);
      if (value !== undefined) return { label, value };
    }
    return undefined;
  };
}

const FENCE = /^\s*```[\w-]*\s*$/u;

/** Removes the beginning or the end of a code fence. The name of a format says nothing; another word stays. */
function withoutFence(text: string): string {
  return text.replace(/```(?:json|text|txt|plaintext|markdown|md|yaml)?(?=[\w-]*\s*$)/iu, '');
}

const FENCE_AFTER = /^\s*```/u;

/** Finds the object of an answer that is JSON, also in a code fence with text before and after it. */
export function findObject(text: string): { readonly object: Fields; readonly rest: string } | undefined {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')];
  const object = start === -1 ? undefined : parseJson(text.slice(start, end + 1));
  if (!isObject(object)) return undefined;
  const [before, after] = [text.slice(0, start), text.slice(end + 1)];
  return { object, rest: `${withoutFence(before)}\n${after.replace(FENCE_AFTER, '')}` };
}

/** Splits an answer at its labels. The end of a fence that began before the first label ends the last; fences are left out. */
export function splitSections<Label extends string>(text: string, labels: Labels<Label>): Section<Label>[] {
  const match = createMatcher(labels);
  const lines = linesOf(text);
  const first = lines.findIndex((line) => match(line) !== undefined);
  if (first === -1) return [{ label: undefined, text: text.trim() }];
  const fence = lines.findLastIndex((line, index) => index < first && FENCE.test(line));
  const end = fence === -1 ? -1 : lines.findLastIndex((line, index) => index > first && FENCE.test(line));
  const sections: { label: Label | undefined; lines: string[] }[] = [{ label: undefined, lines: [] }];
  for (const [index, line] of lines.entries()) {
    if (index === fence) {
      sections.at(-1)?.lines.push(withoutFence(line));
      continue;
    }
    const found = end !== -1 && index > end ? undefined : match(line);
    if (index === end) sections.push({ label: undefined, lines: [] });
    else if (found) sections.push({ label: found.label, lines: [found.value] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map((section) => ({ label: section.label, text: section.lines.join('\n').trim() }));
}

const EDGES = ' \t\n\r\u00A0\u3000"\'“”‘’「」『』【】[]()（）<>*_`.。!！,，;；:：、/|=~#-–—…';
const NOTHING = [
  /^(?:无|没有|暂无|无需|不需要|不用)(?:再|任何|更多|进一步|其他|后续|执行|的)*(?:步骤|操作|动作|行动|下一步|建议|笔记|功能|调用)?$/u,
  /^(?:none|no|nothing|n\/a|nil|null)(?: (?:further|more|other|next|additional|is|are))*(?: (?:steps?|actions?|notes?))?(?: (?:needed|required|necessary))?$/iu,
];
const THEN = /^["'“「[【(（*_`]*(?:无|暂无|无需|不需要|none|n\/a)["'”」\]】)）*_`]*\s*(?:[，,。.;；\n]|(?=[（(]))/iu;

/** Whether a string has no word, or only one that stands for nothing, such as `无` and `None`. */
export function isNothing(text: string): boolean {
  const words = strip(text, EDGES);
  return words === '' || NOTHING.some((pattern) => pattern.test(words));
}

/** Returns the value of a label. `无（…）` stands for nothing; what follows is the rest. */
export function valueOf(text: string): { readonly value?: string; readonly rest: string } {
  if (isNothing(text)) return { rest: '' };
  const then = THEN.exec(text);
  return then ? { rest: text.slice(then[0].length).trim() } : { value: text, rest: '' };
}

const HEADING = /^[\s#*]*(?:【?输出格式】?|output format)[\s*:：]*$/iu;

/** Returns the lines that say something: rulers, blank lines, `None` and the heading of the format do not. */
export function meaningfulLines(text: string): string[] {
  const lines = linesOf(text).filter((line) => !isNothing(line) && !HEADING.test(line));
  return lines.map((line) => line.trim());
}
