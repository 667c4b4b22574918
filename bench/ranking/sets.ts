/** Queries as people type them, with the file that is meant. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { debianSource } from '../lib/corpora/debian-source.ts';
import { kernel } from '../lib/corpora/kernel.ts';
import type { Question } from './queries.ts';
import { filesOf } from './tree.ts';

/** A repository, and the queries for it: files of `sets/` with a query, a tab and the wanted path on each line. */
interface Repository {
  name: string;
  files: () => Promise<string[]>;
  /** Written without a ranker's answers at hand. */
  queries: readonly string[];
  /** Written because a ranker failed them, so not among the means. */
  reported: readonly string[];
}

const here = (name: string): URL => new URL(`sets/${name}`, import.meta.url);

/** The lines of a file of `sets/`. */
function linesOf(name: string): string[] {
  return readFileSync(here(name), 'utf8').trimEnd().split('\n');
}

/** The questions of a set. A line that starts with `#` names the kind of those after it. */
export function questionsOf(name: string): Question[] {
  let kind = basename(name, '.tsv');
  return linesOf(name).flatMap((line) => {
    if (line.startsWith('# ')) {
      kind = line.slice(2);
      return [];
    }
    const [query, wanted] = line.split('\t');
    if (query === undefined || wanted === undefined) throw new Error(`sets/${name}: no tab in "${line}"`);
    return { kind, query, wanted };
  });
}

/** The repositories. */
export const repositories: readonly Repository[] = [
  {
    name: 'Linux 6.1',
    files: async () => filesOf(await kernel()),
    queries: ['linux.tsv', 'linux-subjects.tsv'],
    reported: ['linux-reported.tsv'],
  },
  {
    name: 'Babel 7.20',
    files: async () => filesOf(await debianSource('node-babel7')),
    queries: ['babel.tsv'],
    reported: [],
  },
  {
    name: 'TypeScript 4.8',
    files: async () => filesOf(await debianSource('node-typescript')),
    queries: ['typescript.tsv'],
    reported: [],
  },
  {
    name: 'Django 3.2',
    files: async () => filesOf(await debianSource('python-django')),
    queries: ['django.tsv'],
    reported: [],
  },
  {
    name: 'a few files',
    files: () => Promise.resolve(linesOf('few-reported.list')),
    queries: [],
    reported: ['few-reported.tsv'],
  },
];
