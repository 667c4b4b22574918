/**
 * A slow glob matcher, written from the rules and from nothing else, to compare the fast one with.
 *
 * - `*` and `?` match within one path component, `?` exactly one character.
 * - `**` as a whole component matches any number of components, none included; at the end of a pattern at least one.
 *   Beside other characters it is `*`.
 * - `[abc]`, `[a-z]`, `[!a]` and `[^a]` match one character, never `/`. A `]` right behind the opening is a member.
 * - `{a,b}` stands for one pattern per alternative; alternatives may be empty and may nest.
 * - `\` takes the next character literally, also in a class.
 * - Unless `recursive` is false, a pattern without `/` that does not begin with `**` matches at any depth.
 * - An empty pattern is `*`.
 *
 * Patterns must be well-formed, but for braces: one left open ends with the pattern, one that closes nothing is literal.
 */
export function compileGlob(
  pattern: string,
  { recursive = true }: { readonly recursive?: boolean | undefined } = {},
): (path: string) => boolean {
  const given = pattern === '' ? '*' : pattern;
  const anyDepth = recursive && !given.includes('/') && !given.startsWith('**');
  const alternatives = expandBraces(parse(given)).map((tokens): Component[] => {
    const components = toComponents(tokens);
    return anyDepth ? [globstar, ...components] : components;
  });
  return (path) => {
    const names = path.split('/').map((name) => [...name]);
    return alternatives.some((components) => matchComponents(components, names));
  };
}

type Token =
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'any' | 'star' | 'two-stars' | 'slash' | 'open' | 'comma' | 'close' }
  | {
      readonly kind: 'class';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [from: string, to: string])[];
    };

const globstar: unique symbol = Symbol('**');
type Component = typeof globstar | readonly Token[];

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
      tokens.push(characters[at] === '/' ? { kind: 'slash' } : literal(characters[at]));
      at++;
    } else if (character === '[') {
      const { token, end } = parseClass(characters, at);
      tokens.push(token);
      at = end;
    } else if (character === '*') {
      const start = at;
      while (characters[at] === '*') at++;
      tokens.push({ kind: at - start === 1 ? 'two-stars' : 'star' });
    } else {
      tokens.push(signs[character] ?? literal(character));
    }
  }
  return tokens;
}

function literal(character: string | undefined): Token {
  if (character === undefined) throw new Error('the pattern ends with a backslash');
  return { kind: 'character', character };
}

/** Reads a class whose `[` stands just before `start`. */
function parseClass(characters: readonly string[], start: number): { token: Token; end: number } {
  let at = start;
  const negated = characters[at] === '!' || characters[at] === '^';
  if (negated) at++;
  const ranges: [string, string][] = [];
  const first = at;
  const member = (): string => {
    if (characters[at] === '\\') at++;
    const character = characters[at++];
    if (character === undefined) throw new Error('the class is not closed');
    return character;
  };
  while (at === first || characters[at] !== ']') {
    const from = member();
    const isRange = characters[at] === '-' && characters[at + 1] !== undefined && characters[at + 1] !== ']';
    if (isRange) at++;
    ranges.push([from, isRange ? member() : from]);
  }
  return { token: { kind: 'class', negated, ranges }, end: at + 1 };
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
    return [...done, ...open];
  };
  return sequence(false);
}

function toComponents(tokens: readonly Token[]): Component[] {
  const components: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'slash') components.push([]);
    else components.at(-1)?.push(token);
  }
  return components.map((component) =>
    component.length === 1 && component[0]?.kind === 'two-stars' ? globstar : component,
  );
}

function matchComponents(components: readonly Component[], names: readonly (readonly string[])[]): boolean {
  const [component, ...others] = components;
  if (component === undefined) return names.length === 0;
  if (component === globstar) {
    const fewest = others.length === 0 ? 1 : 0;
    for (let taken = fewest; taken <= names.length; taken++) {
      if (matchComponents(others, names.slice(taken))) return true;
    }
    return false;
  }
  const [name, ...rest] = names;
  return name !== undefined && matchName(component, name) && matchComponents(others, rest);
}

function matchName(tokens: readonly Token[], name: readonly string[]): boolean {
  let token = 0;
  let character = 0;
  // Where to go on when the rest does not match: behind the last star, which takes one character more.
  let retry: { token: number; character: number } | undefined;
  while (token < tokens.length || character < name.length) {
    const current = tokens[token];
    if (current?.kind === 'star' || current?.kind === 'two-stars') {
      token++;
      retry = { token, character: character + 1 };
    } else if (current !== undefined && character < name.length && matchCharacter(current, name[character] ?? '')) {
      token++;
      character++;
    } else if (retry !== undefined && retry.character <= name.length) {
      ({ token, character } = retry);
      retry = { token, character: character + 1 };
    } else {
      return false;
    }
  }
  return true;
}

function matchCharacter(token: Token, character: string): boolean {
  if (token.kind === 'any') return true;
  if (token.kind === 'character') return token.character === character;
  if (token.kind !== 'class') return false;
  const code = codeOf(character);
  return token.ranges.some(([from, to]) => codeOf(from) <= code && code <= codeOf(to)) !== token.negated;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? -1;
}
