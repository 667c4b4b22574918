import { checkArguments } from '../kernel/tool-error.ts';
import { findRandomText } from './random-text.ts';
import { LOOSE_FORMS, SECRET_FORMS, type SecretForm } from './secret-forms.ts';
import { findAssigned, isExample, isWords, PLACES, type ExampleOptions } from './secret-values.ts';

interface FoundSecret {
  /** The kind of secret, such as `GitHub token`. */
  readonly kind: string;
  /** The start and the end (exclusive), in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

interface SecretOptions {
  /**
   * Whether a token is a secret even when documentation uses it as an example, such as one with the letters of the alphabet. A
   * row of crosses, dots or asterisks, and the word `example`, are never in a secret. @default false
   */
  readonly examples?: boolean | undefined;
  /** Whether runs of at least 24 characters that seem random are secrets too. @default false */
  readonly random?: boolean | undefined;
}

/** The forms by their starts, and a pattern of all starts. */
interface Starts {
  readonly forms: ReadonlyMap<string, readonly SecretForm[]>;
  readonly any: RegExp;
}

/** Read by the first search: most processes search nothing. */
const known: { starts?: Starts } = {};

/** Returns the forms by their starts. A start that begins with another one is found by that one. */
function readStarts(): Starts {
  const forms = new Map<string, SecretForm[]>();
  const shortestOf = new Map<string, string>();
  let first: string | undefined;
  for (const start of SECRET_FORMS.flatMap(([, starts]) => starts).toSorted()) {
    if (first === undefined || !start.startsWith(first)) first = start;
    shortestOf.set(start, first);
    if (!forms.has(first)) forms.set(first, []);
  }
  for (const form of SECRET_FORMS) {
    for (const start of new Set(form[1].map((one) => shortestOf.get(one) ?? one))) forms.get(start)?.push(form);
  }
  const starts = [...forms.keys()].map((start) => start.replaceAll(/[$.]/gu, String.raw`\$&`));
  return { forms, any: new RegExp(starts.join('|'), 'gu') };
}

interface Pattern {
  readonly needs: string | RegExp;
  readonly pattern: RegExp;
}

/** Returns the matches in a string. Most strings have nothing of what a secret needs. */
function matchesIn(text: string, { needs, pattern }: Pattern): Iterable<RegExpExecArray> {
  const mayMatch = typeof needs === 'string' ? text.includes(needs) : needs.test(text);
  return mayMatch ? text.matchAll(pattern) : [];
}

/** Returns the token of the first form that fits at a start. */
function issuedAt(
  text: string,
  index: number,
  forms: readonly SecretForm[],
): readonly [kind: string, token: string] | undefined {
  for (const [kind, , pattern] of forms) {
    pattern.lastIndex = index;
    const [token] = pattern.exec(text) ?? [];
    if (token !== undefined && !(kind === 'OpenAI key' && isWords(token))) return [kind, token];
  }
  return undefined;
}

/** Finds the tokens whose start is known. One does not start inside a word, or inside another one. */
function startedIn(text: string, options: ExampleOptions): FoundSecret[] {
  const found = [];
  known.starts ??= readStarts();
  const { forms, any } = known.starts;
  const search = new RegExp(any);
  for (let match = search.exec(text); match !== null; match = search.exec(text)) {
    const { 0: first, index } = match;
    if (index > 0 && /[\w+-]/u.test(text.charAt(index - 1))) continue;
    const [kind, token = ''] = issuedAt(text, index, forms.get(first) ?? []) ?? [];
    if (kind === undefined) continue;
    search.lastIndex = index + token.length;
    // Documentation writes T00000000 for the public part of a webhook.
    const own = token.slice(Math.max(first.length, token.lastIndexOf('/') + 1));
    if (!isExample(own, options)) found.push({ kind, start: index, end: search.lastIndex });
  }
  return found;
}

function* issued(text: string, options: ExampleOptions): Generator<FoundSecret, void, undefined> {
  yield* startedIn(text, options);
  for (const { kind, ...form } of LOOSE_FORMS) {
    for (const { 0: whole, 1: secret = whole, index } of matchesIn(text, form)) {
      const end = index + whole.length;
      if (!isExample(secret, options)) yield { kind, start: end - secret.length, end };
    }
  }
}

function* placed(text: string, options: ExampleOptions): Generator<FoundSecret, void, undefined> {
  for (const place of PLACES) {
    for (const { 0: whole, index, groups = {} } of matchesIn(text, place)) {
      const { name = '', value = '' } = groups;
      if (!place.isSecret(value, name, options)) continue;
      const end = index + whole.length;
      yield { kind: place.kind ?? `value of ${name}`, start: end - value.length, end };
    }
  }
}

/**
 * Finds keys, tokens and passwords in a string, in order of place, without overlaps. It knows documented token formats, private
 * keys, passwords in URLs, headers and commands, and names such as `password` with a value that is likely a secret. Hashes,
 * UUIDs, base64, variables, and placeholders of documentation are not secrets. It does not find secrets of other forms.
 */
export function findSecrets(text: string, options: SecretOptions = {}): FoundSecret[] {
  checkArguments.options('findSecrets', options, { examples: 'optional', random: 'optional' });
  const { examples = false, random = false } = options;
  // JSON writes a line break as `\n`, whose letter is not part of a token.
  const plain = text.includes('\\') ? text.replaceAll(/\\[nrt]/gu, '  ') : text;
  const all = [issued, placed, findAssigned].flatMap((find) => [...find(plain, { examples })]);
  const found: FoundSecret[] = [];
  // Of several secrets at one place the longest counts; of equal ones the most specific format, which is listed first.
  for (const secret of all.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = found.at(-1);
    if (last === undefined || secret.start >= last.end) found.push(secret);
  }
  if (!random) return found;
  const others = findRandomText(plain).filter(
    (other) => !found.some(({ start, end }) => start < other.end && other.start < end),
  );
  return [...found, ...others].toSorted((a, b) => a.start - b.start);
}

/** Returns the first secret in a string. Finds the same secrets as {@link findSecrets}. */
export function findSecret(text: string): FoundSecret | undefined {
  return findSecrets(text)[0];
}

/**
 * Finds the secrets in a string that is to be stored. Memory and knowledge both ask this, so that what one of them accepts the
 * other one does too.
 */
export function findStoredSecrets(text: string): FoundSecret[] {
  return findSecrets(text, { examples: true, random: true });
}

/** Returns the line and the column of an offset, both from 1; the column in UTF-16 code units. */
export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
