/** The benchmarks, once everything is installed: `npm run bench` starts this. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { cases } from './lib/cases.ts';
import type { Case, CorpusName } from './lib/cases.ts';
import { kernel } from './lib/corpora/kernel.ts';
import { million } from './lib/corpora/million.ts';
import { findDebianPrograms } from './lib/debian.ts';
import { describeMachine } from './lib/machine.ts';
import { help, parseOptions } from './lib/options.ts';
import type { Options } from './lib/options.ts';
import { say } from './lib/progress.ts';
import { goalsLine, markdownReport, plainReport } from './lib/report.ts';
import { runCase } from './lib/run-case.ts';
import type { CaseResult } from './lib/run-case.ts';

const corpora: Readonly<Record<CorpusName, () => string | Promise<string>>> = {
  kernel,
  /** What this repository installed: links, deep paths, many small files. */
  modules: () => fileURLToPath(new URL('../node_modules', import.meta.url)),
  million,
};

function chosenCases({ cases: parts, corpora: wanted }: Options): Case[] {
  const chosen = cases.filter(
    ({ id, corpus }) => wanted.includes(corpus) && (parts.length === 0 || parts.some((part) => id.includes(part))),
  );
  if (chosen.length === 0) throw new Error('no case is left: --list shows what there is');
  return chosen;
}

/** Runs what was chosen. A case that breaks is reported and does not take the others' results with it. */
async function runAll(options: Options): Promise<{ results: CaseResult[]; broken: number }> {
  const chosen = chosenCases(options);
  const roots = new Map<CorpusName, string>();
  const results: CaseResult[] = [];
  let broken = 0;
  for (const one of chosen) {
    try {
      const root = roots.get(one.corpus) ?? (await corpora[one.corpus]());
      roots.set(one.corpus, root);
      results.push(await runCase(one, root, options.rounds));
    } catch (error) {
      broken += 1;
      say(`  ${one.id} broke: ${error instanceof Error ? `${error.stack}` : String(error)}`);
    }
  }
  return { results, broken };
}

function write(target: string, text: string): void {
  if (target === '-') process.stdout.write(text);
  else writeFileSync(target, text);
}

async function bench(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options === 'help' || options === 'list') {
    process.stdout.write(options === 'help' ? help : cases.map(({ id, title }) => `${id}: ${title}\n`).join(''));
    return 0;
  }
  await findDebianPrograms();
  const { results, broken } = await runAll(options);
  const command = ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  const report = { machine: await describeMachine(), command, cases: results };
  if (options.json !== undefined) write(options.json, `${JSON.stringify(report, undefined, 2)}\n`);
  if (options.markdown !== undefined) write(options.markdown, markdownReport(report));
  if (options.json !== '-' && options.markdown !== '-') {
    process.stdout.write(`${plainReport(report)}\n\n${goalsLine(results)}\n`);
  }
  return broken === 0 && results.every(({ wrong }) => wrong.length === 0) ? 0 : 1;
}

process.exitCode = await bench(process.argv.slice(2));
