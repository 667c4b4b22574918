import type { FuzzyFindMatch, FuzzyFindOptions, GuessKind } from '@cairn/natives';
import { UsageError } from '../../terminal/errors.ts';
import { STANDARD_INPUT } from '../../terminal/standard-input.ts';
import type { NameList } from '../../terminal/name-list.ts';
import { searchAll, type ListingOfAll } from './search-all.ts';

export interface FindPlaces extends Pick<FuzzyFindOptions, 'hidden' | 'gitignore' | 'cache'> {
  readonly roots: readonly string[];
  /** The names that the root `-` stands for. */
  readonly list?: NameList | undefined;
}

export type FindRules = Omit<FuzzyFindOptions, 'path' | 'candidates' | keyof FindPlaces> & {
  readonly maxResults: number;
};

function inWords(error: unknown): unknown {
  const isAboutQuery = error instanceof Error && 'option' in error && error.option === 'query';
  if (!isAboutQuery) return error;
  return new UsageError('the query is too long', 'use at most 1,024 bytes, and 32 words and path segments', {
    cause: error,
  });
}

export interface FoundPaths extends ListingOfAll<FuzzyFindMatch> {
  /** The kind of the best match if every match is a guess. */
  readonly guess?: GuessKind;
}

/** Ranks the paths of all roots together. The operators of fzf count. */
export async function findAll({ roots, list, ...scope }: FindPlaces, rules: FindRules): Promise<FoundPaths> {
  const { fuzzyFind } = await import('@cairn/natives');
  const options = { ...rules, syntax: 'fzf' } as const;
  const searchOne = async (root: string): ReturnType<typeof fuzzyFind> => {
    if (root !== STANDARD_INPUT || list === undefined) return fuzzyFind({ ...options, ...scope, path: root });
    const result = await fuzzyFind({ ...options, candidates: list.names });
    const matches = result.matches.map((match) =>
      list.lossyNames.has(match.path) ? { ...match, lossyPath: true as const } : match,
    );
    return { ...result, matches };
  };
  const compare = (one: FuzzyFindMatch, other: FuzzyFindMatch): number => other.score - one.score;
  try {
    const found = await searchAll(roots, searchOne, { limit: rules.maxResults, compare });
    const guess = found.matches.every(({ match }) => match.guess) ? found.matches[0]?.match.guess : undefined;
    return { ...found, ...(guess && { guess }) };
  } catch (error) {
    throw inWords(error);
  }
}
