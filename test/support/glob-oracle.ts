/**
 * A slow glob matcher, written from the rules and from nothing else, to compare the fast one with.
 *
 * - `*`, `?` and classes match within one path component, `?` and a class exactly one character.
 * - `**` as a whole component matches any number of components, none included; at the end of a pattern at least one. Next to
 *   other characters it is a `*`.
 * - `[abc]`, `[a-z]`, `[!a]` and `[^a]` match one character, never `/`. A `]` right after the opening is a member, and
 *   `[:alpha:]` a class of ASCII characters. An unknown one is malformed, and so is `[:alpha:]` without other brackets.
 * - `{a,b}` stands for one pattern per alternative; alternatives may be empty and may nest. One that is not
 *   closed is malformed, one that closes nothing is literal.
 * - `\` takes the next character literally, also in a class; a slash separates all the same.
 * - Unless `recursive` is false, a pattern without `/` that does not begin with `**` matches at any depth. A `/` at the end,
 *   which asks for directories, does not count; a `./` at the beginning, which means nothing else, does.
 * - An empty pattern is `*`. `.`, the root itself, is rejected.
 * - `!(a)`, `@(a)`, `+(a)`, `?(a|b)`, `*(a|b)`, `{1..3}`, `{a..c}` and a `~` component at the start are of other dialects, and
 *   rejected.
 */
export interface GlobOracle {
  readonly matches: (path: string) => boolean;
  readonly onlyDirectories: boolean;
}

/** A matcher of whole paths; throws when the pattern is malformed. */
export function compileGlob(pattern: string, options: GlobOracleOptions = {}): (path: string) => boolean {
  return globOracle(pattern, options).matches;
}

export interface GlobOracleOptions {
  readonly recursive?: boolean | undefined;
}

/** The same, with what it asks for; throws when the pattern is malformed or leaves the root. */
export function globOracle(given: string, { recursive = true }: GlobOracleOptions = {}): GlobOracle {
  // Patterns and names are compared in the composed form.
  const pattern = given.normalize('NFC').replaceAll(/\\([^])/gu, (pair, escaped) => (escaped === '/' ? '/' : pair));
  if (pattern.startsWith('/')) throw new Error('the pattern is absolute');
  const tokens = parse(pattern);
  refuseOtherDialects(given);
  const isHere = (): boolean => isDot(tokens[0]) && tokens[1]?.kind === 'slash';
  const isAnchored = isHere() || !recursive;
  while (isHere()) {
    tokens.splice(0, 2);
    while (tokens[0]?.kind === 'slash') tokens.shift();
  }
  const onlyDirectories = tokens.length > 1 && tokens.at(-1)?.kind === 'slash';
  while (tokens.at(-1)?.kind === 'slash') tokens.pop();
  if (tokens.length === 1 && isDot(tokens[0])) throw new Error('the pattern is the root');
  if (tokens.length === 0) tokens.push({ kind: 'star' });
  const text = pattern.replace(/\/+$/u, '');
  if (text.split('/').includes('..')) throw new Error('the pattern leaves the root');
  const anyDepth = !isAnchored && !text.includes('/') && !(tokens.length === 1 && tokens[0]?.kind === 'stars');
  const start: Token[] = anyDepth ? [{ kind: 'stars' }, { kind: 'slash' }] : [];
  const alternatives = expandBraces(tokens).map((alternative) => [...start, ...alternative]);
  return {
    matches: (path) => alternatives.some((alternative) => matchTokens(alternative, [...path.normalize('NFC')])),
    onlyDirectories,
  };
}

/** Throws for the forms of other dialects. Classes and escaped characters are blanked first. */
function refuseOtherDialects(given: string): void {
  const blank = given
    .replaceAll(/\\[^]/gu, '\u0001\u0001')
    .replaceAll(/\[[!^]?\]?(?:\[:[a-z]+:\]|[^\]])*\]/gu, (text) => '\u0001'.repeat(text.length));
  if (/^~(?:\/|$)/u.test(given)) throw new Error('~ is the home directory of a shell');
  if (/[!@+]\([^)]*\)/u.test(blank) || /[?*]\([^)]*\|[^)]*\)/u.test(blank)) throw new Error('an extended glob');
  if (/\{(?:[+-]?\d+\.\.[+-]?\d+|[a-zA-Z]\.\.[a-zA-Z])(?:\.\.[+-]?\d+)?\}/u.test(blank)) throw new Error('a range');
}

type Token =
  | { readonly kind: 'character'; readonly character: string; readonly isPlain: boolean }
  | { readonly kind: 'any' | 'star' | 'stars' | 'slash' | 'open' | 'comma' | 'close' }
  | {
      readonly kind: 'class';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [from: string, to: string])[];
      readonly named: readonly RegExp[];
    };

const signs: Readonly<Record<string, Token>> = {
  '?': { kind: 'any' },
  '/': { kind: 'slash' },
  '{': { kind: 'open' },
  ',': { kind: 'comma' },
  '}': { kind: 'close' },
};

function parse(pattern: string): Token[] {
  const characters = [...pattern];
  const tokens: Token[] = [];
  let at = 0;
  while (at < characters.length) {
    const character = characters[at++] ?? '';
    if (character === '\\') {
      tokens.push(literal(characters[at], false));
      at++;
    } else if (character === '[') {
      const { token, end } = parseClass(characters, at);
      tokens.push(token);
      at = end;
    } else if (character === '*') {
      const isDeep = characters[at] === '*';
      while (characters[at] === '*') at++;
      tokens.push({ kind: isDeep ? 'stars' : 'star' });
    } else {
      tokens.push(signs[character] ?? literal(character));
    }
  }
  return tokens;
}

function literal(character: string | undefined, isPlain = true): Token {
  if (character === undefined) throw new Error('the pattern ends with a backslash');
  return { kind: 'character', character, isPlain };
}

const posix: Readonly<Record<string, RegExp>> = {
  alnum: /[a-zA-Z0-9]/u,
  alpha: /[a-zA-Z]/u,
  blank: /[ \t]/u,
  // eslint-disable-next-line no-control-regex -- what the class is about
  cntrl: /[\u0000-\u001F\u007F]/u,
  digit: /[0-9]/u,
  graph: /[!-~]/u,
  lower: /[a-z]/u,
  print: /[ -~]/u,
  punct: /[!-/:-@[-`{-~]/u,
  space: /[ \t\n\v\f\r]/u,
  upper: /[A-Z]/u,
  xdigit: /[0-9a-fA-F]/u,
};

/** Reads a class whose `[` stands just before `start`. */
function parseClass(characters: readonly string[], start: number): { token: Token; end: number } {
  let at = start;
  const negated = characters[at] === '!' || characters[at] === '^';
  if (negated) at++;
  const ranges: [string, string][] = [];
  const named: RegExp[] = [];
  const first = at;
  const member = (): string => {
    if (characters[at] === '\\') at++;
    const character = characters[at++];
    if (character === undefined) throw new Error('the class is not closed');
    return character;
  };
  while (at === first || characters[at] !== ']') {
    const [whole, mark, name] = /^\[([:.=])([a-zA-Z0-9]+)\1\]/u.exec(characters.slice(at).join('')) ?? [];
    if (whole !== undefined) {
      const members = mark === ':' ? posix[name ?? ''] : undefined;
      if (members === undefined) throw new Error('the class is unknown');
      named.push(members);
      at += whole.length;
      continue;
    }
    const from = member();
    const isRange = characters[at] === '-' && characters[at + 1] !== undefined && characters[at + 1] !== ']';
    if (isRange) at++;
    const to = isRange ? member() : from;
    if (codeOf(to) < codeOf(from)) throw new Error('the range is backwards');
    ranges.push([from, to]);
  }
  const isBare = /^:([a-z]+):$/u.exec(characters.slice(start, at).join(''));
  if (isBare && posix[isBare[1] ?? ''] !== undefined) throw new Error('the class has single brackets');
  return { token: { kind: 'class', negated, ranges, named }, end: at + 1 };
}

/** Every pattern without braces that a pattern with braces stands for. */
function expandBraces(tokens: readonly Token[]): Token[][] {
  let at = 0;
  const sequence = (nested: boolean): Token[][] => {
    const done: Token[][] = [];
    let open: Token[][] = [[]];
    for (; at < tokens.length; at++) {
      const token = tokens[at];
      if (token === undefined) break;
      if (token.kind === 'open') {
        at++;
        const inner = sequence(true);
        open = open.flatMap((before) => inner.map((after) => [...before, ...after]));
      } else if (nested && token.kind === 'close') {
        break;
      } else if (nested && token.kind === 'comma') {
        done.push(...open);
        open = [[]];
      } else {
        const plain = token.kind === 'close' ? literal('}') : token.kind === 'comma' ? literal(',') : token;
        for (const before of open) before.push(plain);
      }
    }
    if (nested && at === tokens.length) throw new Error('a brace is not closed');
    return [...done, ...open];
  };
  return sequence(false);
}

/** Tries every way in which the tokens can stand for the characters. */
function matchTokens(tokens: readonly Token[], path: readonly string[]): boolean {
  const known = new Map<string, boolean>();
  const rest = (token: number, at: number): boolean => {
    const key = `${token} ${at}`;
    const found = known.get(key) ?? tryRest(token, at);
    known.set(key, found);
    return found;
  };
  /** Whether some place from `at` on will do to go on at `token`. */
  const fromAnywhere = (token: number, at: number, isPlace: (place: number) => boolean): boolean => {
    for (let place = at; place <= path.length; place++) if (isPlace(place) && rest(token, place)) return true;
    return false;
  };
  const tryRest = (token: number, at: number): boolean => {
    const current = tokens[token];
    if (current === undefined) return at === path.length;
    const character = path[at];
    const before = tokens[token - 1]?.kind ?? 'slash';
    const after = tokens[token + 1]?.kind ?? 'slash';
    if (current.kind === 'star' || (current.kind === 'stars' && (before !== 'slash' || after !== 'slash')))
      return rest(token + 1, at) || (character !== undefined && character !== '/' && rest(token, at + 1));
    if (current.kind !== 'stars')
      return character !== undefined && matchCharacter(current, character) && rest(token + 1, at + 1);
    if (token === tokens.length - 1) return at < path.length;
    return fromAnywhere(token + 2, at, (place) => place === at || path[place - 1] === '/');
  };
  return rest(0, 0);
}

function isDot(token: Token | undefined): boolean {
  return token?.kind === 'character' && token.character === '.' && token.isPlain;
}

function matchCharacter(token: Token, character: string): boolean {
  if (token.kind === 'slash') return character === '/';
  if (token.kind === 'character') return token.character === character;
  if (character === '/') return false;
  if (token.kind === 'any') return true;
  if (token.kind !== 'class') return false;
  const code = codeOf(character);
  const isMember =
    token.ranges.some(([from, to]) => codeOf(from) <= code && code <= codeOf(to)) ||
    token.named.some((members) => members.test(character));
  return isMember !== token.negated;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? -1;
}
