import { escapeControls } from '@cairn/tool/paths';
import { codeRanges, type TextRange } from './code-ranges.ts';

/** The path and lines of a mention. */
export interface MentionTarget {
  /** As written: relative to the root unless absolute. */
  readonly path: string;
  /** From 1, both included. Absent for the whole file. */
  readonly lines?: { readonly first: number; readonly last: number } | undefined;
}

/** A mention in a string; `start` and `end` are UTF-16 offsets, the `@` included. */
export interface Mention extends MentionTarget, TextRange {}

/** Text that may be a mention. */
interface Candidate extends Mention {
  /** It may be an e-mail address, an npm package or `x@v7`: a mention only when the path exists. */
  readonly doubtful: boolean;
}

/** After these characters an `@` belongs to the word before it. */
const wordEnd = /[\p{L}\p{N}\p{M}_.+\-/\\@%$~&#]$/u;

const quoted = /@"((?:[^"\\\r\n]|\\[^\r\n]){1,4096})"(:[1-9]\d{0,8}(?:-[1-9]\d{0,8})?(?!\d))?/uy;
// No path is longer. A comma or semicolon ends a path when the next mention follows.
// oxlint-disable-next-line no-control-regex -- control characters end a path
const bare = /@((?!@)(?:[^\s"`<>|,;\u0000-\u001f]|[,;](?!@)){1,4096})/uy;
const lineSuffix = /^(.+?):([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/su;

const punctuation = new Set(".,;:!?'’”»…。，、；：！？");
/** Bold and italic; after a slash an asterisk is a pattern. */
const emphasis = /(?:^|[^/*])(\*{1,3})$/u;
const closing = ')]}）」』】》';
const opening = '([{（「『【《';

/**
 * Drops punctuation of the sentence around a path, and brackets that were opened before it. Each character is read a few times
 * only: there may be thousands.
 */
function dropTrailingPunctuation(text: string): string {
  /** By closing bracket: how many of those that are left were opened before the path. */
  const unopened = new Map<string, number>();
  let end = text.length;
  for (;;) {
    end -= emphasis.exec(text.slice(Math.max(0, end - 4), end))?.[1]?.length ?? 0;
    const last = text.charAt(end - 1);
    const bracket = last === '' ? -1 : closing.indexOf(last);
    if (bracket >= 0) {
      const left = unopened.get(last) ?? text.split(last).length - text.split(opening.charAt(bracket)).length;
      if (left <= 0) return text.slice(0, end);
      unopened.set(last, left - 1);
    } else if (!punctuation.has(last)) {
      return text.slice(0, end);
    }
    end--;
  }
}

function linesOf(first: string, last: string | undefined): MentionTarget['lines'] {
  const lines = { first: Number(first), last: Number(last ?? first) };
  return lines.first <= lines.last ? lines : undefined;
}

/** Splits `path:10-40`. A suffix that names no lines is part of the path. */
function splitLines(text: string): MentionTarget {
  const [, path, first = '', last] = lineSuffix.exec(text) ?? [];
  const lines = path === undefined ? undefined : linesOf(first, last);
  return path === undefined || lines === undefined ? { path: text } : { path, lines };
}

function unescape(text: string): string {
  return text.replaceAll(/\\(?:(["\\])|u([\da-f]{4}))/giu, (_, plain: string | undefined, hex: string | undefined) =>
    hex === undefined ? (plain ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** `scope/name`, as npm's packages are called, and `name@version`. */
const packageLike = /^[a-z\d~-][a-z\d._~-]*\/[a-z\d~-][a-z\d_~-]*$|[^/]@/u;

function candidateAt(text: string, start: number): Candidate | undefined {
  const boundary = !wordEnd.test(text.slice(Math.max(0, start - 2), start));
  quoted.lastIndex = start;
  const [whole, inner = '', suffix] = quoted.exec(text) ?? [];
  if (whole !== undefined) {
    const path = unescape(inner);
    const [, first = '', last] = /^:(\d+)(?:-(\d+))?$/u.exec(suffix ?? '') ?? [];
    const lines = suffix === undefined ? undefined : linesOf(first, last);
    const length = whole.length - (lines ? 0 : (suffix?.length ?? 0));
    return { path, ...(lines && { lines }), start, end: start + length, doubtful: !boundary };
  }
  bare.lastIndex = start;
  const written = dropTrailingPunctuation(bare.exec(text)?.[1] ?? '');
  if (written === '') return undefined;
  const target = splitLines(written);
  const doubtful = !boundary || packageLike.test(target.path);
  return { ...target, start, end: start + 1 + written.length, doubtful };
}

/** Everything in a string that may be a mention, code left out. They overlap where an `@` is part of a path. */
function candidatesOf(text: string): Candidate[] {
  if (!text.includes('@')) return [];
  const code = codeRanges(text);
  const found: Candidate[] = [];
  let next = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    while (next < code.length && (code[next]?.end ?? 0) <= at) next++;
    if ((code[next]?.start ?? Infinity) <= at) continue;
    const candidate = candidateAt(text, at);
    if (candidate) found.push(candidate);
  }
  return found;
}

/** Those candidates that are mentions: in order, none inside another. */
function choose(candidates: readonly Candidate[], exists: (path: string) => boolean): Mention[] {
  const mentions: Mention[] = [];
  for (const { doubtful, ...mention } of candidates) {
    if (mention.start < (mentions.at(-1)?.end ?? 0)) continue;
    if (!doubtful || exists(mention.path)) mentions.push(mention);
  }
  return mentions;
}

/**
 * Finds the mentions in a string: `@path`, `@"quoted path"`, either with `:10` or `:10-40` for lines. They start after a word
 * boundary, outside code; punctuation after them is not part of them. In quotes, `\"`, `\\` and `\u0060` stand for
 * a character.
 *
 * An e-mail address, an npm package (`@scope/name`) or `x@v7` is a mention only when `exists` returns true for its path. Default:
 * nothing exists.
 */
export function parseMentions(text: string, exists: (path: string) => boolean = () => false): Mention[] {
  return choose(candidatesOf(text), exists);
}

/** Finds mentions with an asynchronous `exists`, called only for doubtful paths. */
export async function findMentions(text: string, exists: (path: string) => Promise<boolean>): Promise<Mention[]> {
  const candidates = candidatesOf(text);
  const paths = new Set(candidates.filter(({ doubtful }) => doubtful).map(({ path }) => path));
  const known = new Map<string, boolean>();
  for (const path of paths) known.set(path, await exists(path));
  return choose(candidates, (path) => known.get(path) ?? false);
}

const openBare = /^[^\s"`<>|]*$/u;
const openQuoted = /^"((?:[^"\\\r\n]|\\[^\r\n])*)$/u;

/**
 * Returns the mention that is being typed at a cursor, bare or in quotes that are still open: the text after its `@`, and the offset
 * of the `@`. Returns `undefined` where there is none.
 */
export function mentionAt(
  text: string,
  cursor: number = text.length,
): { readonly query: string; readonly start: number } | undefined {
  const before = text.slice(0, cursor);
  const lineStart = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
  for (let start = before.lastIndexOf('@'); start >= lineStart; start = before.lastIndexOf('@', start - 1)) {
    if (wordEnd.test(before.slice(Math.max(0, start - 2), start))) continue;
    const typed = before.slice(start + 1);
    const inner = openQuoted.exec(typed)?.[1];
    const isCode = codeRanges(before).some((code) => code.start <= start && start < code.end);
    if (isCode || (inner === undefined && !openBare.test(typed))) return undefined;
    return { query: inner === undefined ? typed : unescape(inner), start };
  }
  return undefined;
}

function escapeInQuotes(path: string): string {
  // In a mention `\n` is a part of `C:\new`, so these have escapes by number.
  const plain = path.replaceAll(/["\\]|[\b\t\n\f\r`]/gu, (character) =>
    /["\\]/u.test(character) ? `\\${character}` : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return escapeControls(plain);
}

/** Text that may follow a mention in a sentence. */
const sentenceTails = ['', '.', '),', '],', '},'];

function isRead(written: string, tail: string, { path, lines }: MentionTarget): boolean {
  const [read, ...more] = parseMentions(written + tail);
  return (
    more.length === 0 &&
    read?.end === written.length &&
    read.path === path &&
    read.lines?.first === lines?.first &&
    read.lines?.last === lines?.last
  );
}

/** Writes a mention so that {@link parseMentions} reads it again: bare where that is clear, else in quotes. */
export function formatMention(target: MentionTarget): string {
  const { path, lines } = target;
  const suffix = lines ? `:${lines.first}${lines.last === lines.first ? '' : `-${lines.last}`}` : '';
  const bareForm = `@${path}${suffix}`;
  const isClear = sentenceTails.every((tail) => isRead(bareForm, tail, target));
  return isClear && escapeControls(path) === path ? bareForm : `@"${escapeInQuotes(path)}"${suffix}`;
}
