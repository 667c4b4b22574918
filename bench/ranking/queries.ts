/** What a person would type to get at a file. */
import { draw, seeded } from '../lib/random.ts';
import type { Random } from '../lib/random.ts';

/** The last component of a path. */
function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A base name without its last extension. */
function stemOf(path: string): string {
  const name = baseName(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** The name of the directory a file is in. */
function parentOf(path: string): string | undefined {
  return path.split('/').at(-2);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** The text with one typo: two neighbours swapped, a letter missed, or a wrong one. */
function misspell(text: string, random: Random): string {
  const at = Math.floor(random() * (text.length - 1));
  const kind = Math.floor(random() * 3);
  if (kind === 0 && text[at] !== text[at + 1]) {
    return `${text.slice(0, at)}${text[at + 1]}${text[at]}${text.slice(at + 2)}`;
  }
  if (kind === 1) return text.slice(0, at) + text.slice(at + 1);
  const letter = LETTERS[Math.floor(random() * LETTERS.length)];
  const wrong = letter === text[at]?.toLowerCase() ? '0' : letter;
  return `${text.slice(0, at)}${wrong}${text.slice(at + 1)}`;
}

/** Each way to ask for a file; `undefined` where it cannot be asked for that way. */
const ways: Record<string, (path: string) => string | undefined> = {
  'base name': baseName,
  stem: stemOf,
  '60 % prefix': (path) => {
    const name = baseName(path);
    return name.slice(0, Math.ceil(name.length * 0.6));
  },
  'no separators': (path) => {
    const stem = stemOf(path);
    const squashed = stem.replaceAll(/[^\p{L}\p{N}]/gu, '');
    return squashed === stem ? undefined : squashed;
  },
  'dir/stem': (path) => parentOf(path) && `${parentOf(path)}/${stemOf(path)}`,
  'dir stem': (path) => parentOf(path) && `${parentOf(path)} ${stemOf(path)}`,
  abbreviated: (path) => {
    const above = path.split('/').slice(0, -1);
    const short = above.map((segment) => segment.slice(0, 2));
    return above.length === 0 ? undefined : [...short, stemOf(path)].join('/');
  },
};

/** Of two ways the same file may be named by, with a typo. */
const WITH_TYPO = ['base name', 'stem'];

/** One query, and the file that was meant. */
export interface Question {
  kind: string;
  query: string;
  wanted: string;
}

/** Files and what is typed for each, if that is words at all; `alone`: only those that nothing else is asked for by. */
function askable(
  files: readonly string[],
  ask: (path: string) => string | undefined,
  alone: boolean,
): Map<string, string> {
  const times = new Map<string, number>();
  const queries = new Map<string, string>();
  for (const file of files) {
    const query = ask(file);
    if (!query) continue;
    times.set(query, (times.get(query) ?? 0) + 1);
    // Punctuation alone is not a question, and white space would make two words of one.
    if (/[\p{L}\p{N}]/u.test(query) && !/\s/.test(file)) queries.set(file, query);
  }
  return alone ? new Map([...queries].filter(([, query]) => times.get(query) === 1)) : queries;
}

/**
 * For each kind N files, drawn by the seed, and what would be typed for them. `alone`: only questions with one right
 * answer are asked, because `Makefile` names thousands of files, and whoever finds the wanted one was lucky.
 */
export function questions(files: readonly string[], samples: number, seed: number, alone: boolean): Question[] {
  const only = new Map(Object.entries(ways).map(([kind, ask]) => [kind, askable(files, ask, alone)]));
  const asked = [...only].flatMap(([kind, queries], index) =>
    draw([...queries], samples, seeded(seed * 1000 + index)).map(([wanted, query]) => ({ kind, query, wanted })),
  );
  const random = seeded(seed * 1000 + only.size);
  const named = WITH_TYPO.flatMap((kind) => [...(only.get(kind) ?? [])]).filter(([, query]) => query.length >= 4);
  const misspelled = draw(named, samples, random).map(([wanted, query]) => {
    return { kind: 'one typo', query: misspell(query, random), wanted };
  });
  return [...asked, ...misspelled];
}
