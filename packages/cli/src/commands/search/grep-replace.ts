import { stat } from 'node:fs/promises';
import { UsageError } from '../../terminal/errors.ts';

/** In `-rn`, what follows the r are options of grep, whose -r searches directories. */
const asInGrep = /^-[^-ABCMTdefgmr]*r(?<options>[EFGHILPRUZabchilnoqsvwxyz]+)$/u;

const SEARCHED_ANYWAY = 'directories are searched anyway';

function hasGroup(replace: string): boolean {
  return /\$[\w{]/u.test(replace);
}

interface ReplaceContext {
  readonly pattern: string | undefined;
  readonly hasPatterns: boolean;
  readonly words: readonly string[];
}

/**
 * Rejects -r where it was most likely typed as the -r of grep, whose next word is the pattern. With ripgrep's meaning, the answer
 * would have other text than the files.
 */
export async function checkReplace(replace: string, { pattern, hasPatterns, words }: ReplaceContext): Promise<void> {
  const end = words.indexOf('--');
  const options = end === -1 ? words : words.slice(0, end);
  const cluster = options.find((word) => asInGrep.exec(word)?.groups?.['options'] === replace);
  if (cluster !== undefined || (replace.startsWith('-') && options.includes(replace))) {
    const given = cluster ?? `-r ${replace}`;
    const meant = cluster === undefined ? replace : cluster.replace('r', '');
    throw new UsageError(
      `"${given}" would show "${replace}" in place of each match`,
      `${SEARCHED_ANYWAY}: 'cairn grep ${meant} PATTERN'; to replace, use --replace=${replace}`,
    );
  }
  if (hasPatterns) return;
  if (pattern === undefined) {
    throw new UsageError(
      `-r shows "${replace}" in place of each match, and there is no pattern`,
      `${SEARCHED_ANYWAY}: 'cairn grep PATTERN'; to replace, add a pattern`,
    );
  }
  if (hasGroup(replace)) return;
  const isPath = await stat(pattern).then(
    () => true,
    () => false,
  );
  if (!isPath) return;
  throw new UsageError(
    `-r would show "${replace}" in place of each "${pattern}", which is also a path`,
    `${SEARCHED_ANYWAY}: leave out -r to search ${pattern} for "${replace}"; to replace, put -e before the pattern`,
  );
}

export function replaceNotices(replace: string): readonly string[] {
  if (hasGroup(replace)) return [];
  return [
    `-r shows "${replace}" in place of each match; ${SEARCHED_ANYWAY}, so leave it out to search them for "${replace}"`,
  ];
}
