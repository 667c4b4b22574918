/** How near the top the wanted files are. */
import type { Question } from './queries.ts';
import { isDirectory, rankers } from './rankers.ts';
import type { Tree } from './tree.ts';

/** How far down a list people read. */
export const SHOWN = 10;

export interface Quality {
  /** The mean of 1 / rank, 0 for a rank beyond the {@link SHOWN}th. */
  mrr: number;
  /** The share at rank 1. */
  hit1: number;
  /** The share among the {@link SHOWN} first. */
  hit10: number;
}

/** A question and what a ranker answered. */
export interface Answer extends Question {
  /** From 1; 0 where the wanted file is not among the {@link SHOWN} first. */
  rank: number;
  /** What came first. */
  first: string | undefined;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

export function qualityOf(answers: readonly Answer[]): Quality {
  return {
    mrr: mean(answers.map(({ rank }) => (rank === 0 ? 0 : 1 / rank))),
    hit1: mean(answers.map(({ rank }) => Number(rank === 1))),
    hit10: mean(answers.map(({ rank }) => Number(rank > 0))),
  };
}

/** The answers of one ranker. `directories`: a directory takes a place in the list, as on a screen. */
export async function answersOf(
  name: string,
  tree: Tree,
  asked: readonly Question[],
  { directories }: { directories: boolean },
): Promise<Answer[]> {
  const ranker = await rankers[name]?.(tree);
  if (!ranker) throw new Error(`no ranker is called ${name}; there are ${Object.keys(rankers).join(', ')}`);
  const answers: Answer[] = [];
  for (const question of asked) {
    const paths = await ranker.rank(question.query);
    const shown = paths.filter((path) => directories || !isDirectory(path)).slice(0, SHOWN);
    answers.push({ ...question, rank: shown.indexOf(question.wanted) + 1, first: shown[0] });
  }
  ranker.close();
  return answers;
}

/** By ranker, then by row. */
export type Figures = Record<string, Record<string, Quality>>;

/** A table with a column for each ranker. */
export function tableOf(figures: Figures): string {
  const names = Object.keys(figures);
  const rows = Object.keys(Object.values(figures)[0] ?? {});
  const cell = (name: string, row: string): string => {
    const quality = figures[name]?.[row];
    return quality
      ? [quality.mrr, quality.hit1, quality.hit10].map((share) => share.toFixed(3).replace(/^0/, '')).join(' ')
      : '';
  };
  const lines = [
    `| MRR@${SHOWN}, hit@1, hit@${SHOWN} | ${names.join(' | ')} |`,
    `| --- |${' --- |'.repeat(names.length)}`,
    ...rows.map((row) => `| ${row} | ${names.map((name) => cell(name, row)).join(' | ')} |`),
  ];
  return `${lines.join('\n')}\n`;
}
