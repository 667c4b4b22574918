/** A part of a path, or a character of it, in a pattern. */
interface Token<Item> {
  /** Whether it stands for any number of items. */
  readonly isAny: boolean;
  readonly accepts: (item: Item) => boolean;
}

/**
 * Matches a sequence. Its time is at most the product of both lengths, whatever the pattern: after a mismatch only the last token
 * for any number of items takes one more.
 */
function matches<Item>(tokens: readonly Token<Item>[], items: readonly Item[]): boolean {
  let token = 0;
  let item = 0;
  let lastAny = -1;
  let taken = 0;
  while (item < items.length) {
    const current = tokens[token];
    if (current?.isAny === true) {
      lastAny = token++;
      taken = item;
    } else if (current?.accepts(items[item] as Item) === true) {
      token++;
      item++;
    } else if (lastAny !== -1) {
      token = lastAny + 1;
      item = ++taken;
    } else {
      return false;
    }
  }
  while (tokens[token]?.isAny === true) token++;
  return token === tokens.length;
}

const ANY: Token<unknown> = { isAny: true, accepts: () => false };

/** `[abc]`, `[a-z]`, `[!a]`; a class without an end is plain text. */
const CLASS = /^\[([!^]?)(\]?[^\]]*)\]/u;

function classOf(isNegated: boolean, members: string): Token<string> {
  const characters = Array.from(members);
  const accepts = (character: string): boolean => {
    for (let place = 0; place < characters.length; place++) {
      const first = characters[place] ?? '';
      const last = characters[place + 1] === '-' ? characters[place + 2] : undefined;
      if (last !== undefined) place += 2;
      if (character >= first && character <= (last ?? first)) return !isNegated;
    }
    return isNegated;
  };
  return { isAny: false, accepts };
}

function charactersOf(pattern: string): Token<string>[] {
  const tokens: Token<string>[] = [];
  let rest = pattern;
  while (rest !== '') {
    const found = CLASS.exec(rest);
    const [first = ''] = rest;
    if (found !== null) tokens.push(classOf(found[1] !== '', found[2] ?? ''));
    else if (first === '*') tokens.push(ANY);
    else tokens.push({ isAny: false, accepts: (character) => first === '?' || first === character });
    rest = rest.slice(found?.[0].length ?? first.length);
  }
  return tokens;
}

function partsOf(pattern: string): Token<readonly string[]>[] {
  const parts = pattern.split('/');
  return parts.flatMap((part, place): Token<readonly string[]>[] => {
    // At the end it stands for what is in the directory, and not for the directory itself.
    if (part === '**') return place === parts.length - 1 ? [{ isAny: false, accepts: () => true }, ANY] : [ANY];
    const characters = charactersOf(part);
    return [{ isAny: false, accepts: (name) => matches(characters, name) }];
  });
}

/** A pattern with more alternatives matches nothing beyond them. */
const MAX_ALTERNATIVES = 64;

/** Returns the patterns that `{a,b}` stands for. Braces without a comma or an end are plain text. */
function alternativesOf(pattern: string): string[] {
  let patterns = [pattern];
  for (;;) {
    const next = patterns.flatMap((one) => {
      const found = /\{([^{}]*,[^{}]*)\}/u.exec(one);
      if (found === null) return [one];
      const [whole, list = ''] = found;
      return list.split(',').map((part) => one.slice(0, found.index) + part + one.slice(found.index + whole.length));
    });
    if (next.length === patterns.length && next.every((one, place) => one === patterns[place])) return patterns;
    patterns = next.slice(0, MAX_ALTERNATIVES);
  }
}

function fromRoot(pattern: string): string {
  const isDirectory = pattern.endsWith('/');
  const path = pattern.replaceAll(/^(?:\.?\/)+|\/+$/gu, '');
  const anywhere = path.includes('/') || pattern.startsWith('/') ? path : `**/${path}`;
  return isDirectory ? `${anywhere}/**` : anywhere;
}

/**
 * Makes a function that decides whether one of the globs matches a path, which is relative to the root of a project, with `/`.
 *
 * `*` and `?` match within a name, `**` any directories, `[abc]` and `[!a-z]` a character, `{a,b}` alternatives. Names that start
 * with a dot are like others. A glob without `/` matches in every directory, and one that ends with `/` all files below.
 */
export function createGlobs(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs
    .flatMap((glob) => alternativesOf(glob.normalize('NFC').replaceAll('\\', '/').trim()))
    .filter((glob) => glob !== '')
    .map((glob) => partsOf(fromRoot(glob)));
  return (path) => {
    const names = path
      .normalize('NFC')
      .split('/')
      .map((name) => Array.from(name));
    return patterns.some((parts) => matches(parts, names));
  };
}
