/** The table of the simulated run, as the README of the package shows it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { WorkspaceCacheOptions } from '@cairn/workspace-cache';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { settled } from '../../support/settled.ts';
import { fileCount, projects } from './projects.ts';
import type { Project } from './projects.ts';
import { simulate } from './run.ts';
import type { Cost, Places } from './run.ts';

/** Options of the cache that are compared, with the heading of their table. */
const variants: readonly { readonly title: string; readonly options: Partial<WorkspaceCacheOptions> }[] = [
  { title: 'Default options', options: {} },
  { title: "`format: 'source'`, the form of the source document", options: { format: 'source' } },
];

export interface Comparison {
  readonly project: Project;
  readonly without: Cost;
  /** One for each of the {@link variants}. */
  readonly cached: readonly Cost[];
}

function writeProject(root: string, { files }: Project): void {
  for (const [path, content] of files) {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
}

/** Runs the agents on all projects, in sequence: without the cache, then with each variant of it. */
export async function compareAll(): Promise<Comparison[]> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cairn-simulation-')));
  try {
    const placesOf = ({ kind, size }: Project): Places => {
      const own = join(directory, `${kind}-${size}`);
      return { root: join(own, 'root'), stateDirectory: join(own, 'state') };
    };
    for (const project of projects) writeProject(placesOf(project).root, project);
    const uncached = new Map<Project, Cost>();
    for (const project of projects) uncached.set(project, await simulate(project, placesOf(project)));
    await settled(directory);
    const comparisons: Comparison[] = [];
    for (const [project, without] of uncached) {
      const cached: Cost[] = [];
      for (const { options } of variants) cached.push(await simulate(project, placesOf(project), options));
      comparisons.push({ project, without, cached });
    }
    return comparisons;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function thousands(number: number): string {
  return number.toLocaleString('en-US');
}

function rowOf({ project, without }: Comparison, cached: Cost): string[] {
  const both = (key: keyof Cost): string => `${thousands(without[key])} → ${thousands(cached[key])}`;
  const saved = without.tokens - cached.tokens;
  const share = Math.round((saved / without.tokens) * 100);
  return [
    `${project.kind}, ${project.size}`,
    thousands(fileCount(project)),
    both('listings'),
    both('reads'),
    both('calls'),
    both('requests'),
    both('tokens'),
    thousands(cached.sectionTokens),
    `${thousands(saved)} (${share} %)`,
    thousands(without.tokensWithPromptCache - cached.tokensWithPromptCache),
  ];
}

const HEADER = [
  'project',
  'files',
  'directory listings',
  'file reads',
  'tool calls',
  'model requests',
  'tokens',
  'of the section',
  'saved tokens, net',
  'with a prompt cache',
];

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lineOf = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [header = [], ...body] = rows;
  return [lineOf(header), lineOf(widths.map((width) => '-'.repeat(width))), ...body.map(lineOf)].join('\n');
}

/** Writes a table for each variant in Markdown: without the cache → with it. */
export function reportOf(comparisons: readonly Comparison[]): string {
  const tables = variants.map(({ title }, index) => {
    const rows = comparisons.flatMap((one) => {
      const cached = one.cached[index];
      return cached === undefined ? [] : [rowOf(one, cached)];
    });
    return `${title}:\n\n${tableOf([HEADER, ...rows])}\n`;
  });
  return tables.join('\n');
}
