import type { ParsedAction } from '../types.ts';

export interface ActionText {
  readonly actions: readonly ParsedAction[];
  readonly rest: string;
  /** The last action, when it is not closed. It is in `rest` too. */
  readonly unclosed?: string;
}

const CLOSERS: Readonly<Record<string, string>> = { '[': ']', '【': '】', '［': '］' };
const STRING = /"(?:[^"\\\n]|\\.)*"/uy;
/** In JSON and between arguments, a string begins after one of these. */
const BEFORE_STRING = '[{:：,，=＝【［';

/** Returns the position of the bracket that closes each bracket. One pass, because models repeat brackets. */
function closersOf(text: string, hasStrings: boolean): ReadonlyMap<number, number> {
  const open: { readonly closer: string; readonly start: number }[] = [];
  const ends = new Map<number, number>();
  let before = '';
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    const closer = CLOSERS[character];
    const top = open.at(-1);
    if (character === '"' && hasStrings && top !== undefined && BEFORE_STRING.includes(before)) {
      STRING.lastIndex = index;
      index += Math.max(1, STRING.exec(text)?.[0].length ?? 0) - 1;
    } else if (closer !== undefined) {
      open.push({ closer, start: index });
    } else if (top !== undefined && character === top.closer) {
      ends.set(top.start, index);
      open.pop();
    }
    if (character.trim() !== '') before = character;
  }
  return ends;
}

const MAX_NAME = 100;

/** Returns the name and the arguments inside brackets; `undefined` when it is other text. */
function callOf(inner: string, isFunction: (name: string) => boolean): Pick<ParsedAction, 'name' | 'args'> | undefined {
  const colon = inner.slice(0, MAX_NAME + 1).search(/[:：]/u);
  const name = inner.slice(0, colon === -1 ? MAX_NAME + 1 : colon).trim();
  if (colon === -1) return isFunction(name) && inner.trim() === name ? { name, args: '' } : undefined;
  // Without a letter it is a time or a number; with `//` after the colon it is an address.
  if (!/[\p{L}_]/u.test(name) || /[[\]【】［］{}"“”\n]/u.test(name)) return undefined;
  const args = inner.slice(colon + 1);
  return args.startsWith('//') ? undefined : { name, args: args.trim() };
}

/** Finds actions such as `[生成Excel:表格.xlsx:[{"姓名":"张三"}]]`. Without arguments, only a name that `isFunction` knows is one. */
export function parseActions(text: string, isFunction: (name: string) => boolean = () => false): ActionText {
  const [ends, endsWithoutStrings] = [closersOf(text, true), closersOf(text, false)];
  const actions: ParsedAction[] = [];
  const rest: string[] = [];
  let done = 0;
  let unclosed: string | undefined;
  for (let start = 0; start < text.length && unclosed === undefined; start++) {
    if (!(text.charAt(start) in CLOSERS)) continue;
    const end = ends.get(start) ?? endsWithoutStrings.get(start);
    const call = callOf(text.slice(start + 1, end), isFunction);
    if (call === undefined) continue;
    if (end === undefined) {
      unclosed = text.slice(start);
      continue;
    }
    rest.push(text.slice(done, start));
    actions.push({ ...call, text: text.slice(start, end + 1) });
    done = end + 1;
    start = end;
  }
  rest.push(text.slice(done));
  return { actions, rest: rest.join('\n'), ...(unclosed !== undefined && { unclosed }) };
}

export interface CalledActions {
  readonly called: readonly ParsedAction[];
  /** Those that are in code, in quotation marks, or a part of a sentence. */
  readonly quoted: readonly ParsedAction[];
  readonly rest: string;
}

/** Text before a call at the start of its line: nothing, a mark of a list, or the label of actions. */
const LINE_BEFORE = /^[\s>]*(?:(?:[-*+•]|\d{1,2}[.)、])\s*)?(?:(?:执行动作|actions?)\s*[:：])?$/iu;
const SENTENCE_ENDS = '.。!！?？…~～';
const AFTER_CALL = /^[\s.。!！,，;；、]*$/u;
const FENCE = /^[ \t]*```/gmu;

/** Separates calls, in a line of their own or after a sentence, from actions that a string only talks about. Code has no calls. */
export function calledActions(text: string, isFunction: (name: string) => boolean): CalledActions {
  const found: { readonly action: ParsedAction; readonly start: number; readonly end: number }[] = [];
  for (const action of parseActions(text, isFunction).actions) {
    const start = text.indexOf(action.text, found.at(-1)?.end ?? 0);
    found.push({ action, start, end: start + action.text.length });
  }
  const [called, quoted, rest]: [ParsedAction[], ParsedAction[], string[]] = [[], [], []];
  // All positions only grow: an answer may have thousands of actions in one line.
  let [done, from, lineStart, fences] = [0, 0, 0, 0];
  for (const [index, { action, start, end }] of found.entries()) {
    const newline = text.slice(from, start).lastIndexOf('\n');
    if (newline !== -1) {
      fences += (text.slice(lineStart, from + newline + 1).match(FENCE) ?? []).length;
      lineStart = from + newline + 1;
    }
    from = start;
    if (!isFunction(action.name)) continue;
    const before = text.slice(Math.max(lineStart, done), start).trimEnd();
    const [after = ''] = text.slice(end, found[index + 1]?.start).split('\n', 1);
    const isStart = before === '' || SENTENCE_ENDS.includes(before.slice(-1)) || LINE_BEFORE.test(before);
    const isCall = isStart && AFTER_CALL.test(after);
    const isInCode = fences % 2 === 1;
    if (isInCode || !isCall) {
      quoted.push(action);
      continue;
    }
    called.push(action);
    rest.push(text.slice(done, start));
    done = end;
  }
  return { called, quoted, rest: [...rest, text.slice(done)].join('').trim() };
}
