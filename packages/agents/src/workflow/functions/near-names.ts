import { similarity } from '@cairn/tool/internal';

const MAX_NAMES = 3;

/** Folds case, width and the characters that separate words. */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_.-]+/gu, '');
}

function pairsOf(name: string): Set<string> {
  const points = [...foldName(name)];
  if (points.length < 2) return new Set(points);
  return new Set(points.slice(1).map((point, index) => `${points[index] ?? ''}${point}`));
}

const MIN_SIMILARITY = 0.3;

interface Near {
  readonly candidate: string;
  readonly score: number;
}

/** Returns the names that a wrong one may mean, the most similar first; of each thing with several names the nearest one. */
export function nearNames(name: string, things: readonly (readonly string[])[]): string[] {
  const pairs = pairsOf(name);
  const best = (one: Near | undefined, candidate: string): Near => {
    const score = similarity(pairs, pairsOf(candidate));
    return one !== undefined && one.score >= score ? one : { candidate, score };
  };
  return things
    .map((names) => names.reduce<Near | undefined>(best, undefined))
    .filter((near) => near !== undefined && near.score >= MIN_SIMILARITY)
    .toSorted((one, other) => (other?.score ?? 0) - (one?.score ?? 0))
    .slice(0, MAX_NAMES)
    .flatMap((near) => near?.candidate ?? []);
}
