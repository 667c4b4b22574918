/**
 * What an import of many Markdown files costs, the same import again, and the first search of another process, which preloads nothing.
 *
 *     node bench/knowledge/import.ts [--assets 10000] [--keep <directory>]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createKnowledge, importFiles } from '@cairn/knowledge';
import { seeded } from '../lib/random.ts';

const { values } = parseArgs({
  options: { assets: { type: 'string', default: '10000' }, keep: { type: 'string' }, search: { type: 'string' } },
});
const WORDS = 4000;
const BETWEEN = 'the of and when a service in for to is with after request must not retry 超时 配置 部署 集群'.split(
  ' ',
);

/** Markdown of 1 to 6 KB, with words as frequent as in prose. */
function textOf(number: number, random: () => number): string {
  const word = (): string => {
    if (random() < 0.4) return BETWEEN[Math.floor(random() * BETWEEN.length)] ?? '';
    return `w${Math.floor(WORDS * random() ** 3).toString(36)}term`;
  };
  const paragraph = (): string => Array.from({ length: 40 + Math.floor(random() * 60) }, word).join(' ');
  const body = Array.from({ length: 2 + Math.floor(random() * 6) }, (_, at) => `## Part ${at}\n\n${paragraph()}.`);
  return `---\ntags: [area-${number % 40}, kind-${number % 7}]\n---\n\n# Guide ${number} ${word()}\n\n${body.join('\n\n')}\n`;
}

async function timed<T>(run: () => Promise<T>): Promise<readonly [T, number]> {
  const start = performance.now();
  return [await run(), performance.now() - start];
}

if (values.search === undefined) {
  const count = Number(values.assets);
  const root = values.keep ?? mkdtempSync(join(tmpdir(), 'cairn-bench-import-'));
  try {
    const random = seeded(7);
    for (let number = 0; number < count; number++) {
      const directory = join(root, 'files', `area-${number % 40}`);
      if (number < 40) mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, `guide-${number}.md`), textOf(number, random));
    }
    const directory = join(root, 'knowledge');
    const knowledge = createKnowledge({ directory });
    const before = process.cpuUsage();
    const [result, first] = await timed(() => importFiles(join(root, 'files'), { store: knowledge.store }));
    const { user, system } = process.cpuUsage(before);
    const [again, second] = await timed(() => importFiles(join(root, 'files'), { store: knowledge.store }));
    const [, closed] = await timed(() => knowledge.close());
    const added = `${result.added.length} added, ${result.problems.length} problems`;
    const processor = `processor ${((user + system) / 1_000_000).toFixed(1)} s`;
    process.stdout.write(`import of ${count} files: ${(first / 1000).toFixed(1)} s (${processor}; ${added})\n`);
    process.stdout.write(`the same again: ${(second / 1000).toFixed(1)} s (${again.present.length} present)\n`);
    process.stdout.write(
      `close: ${(closed / 1000).toFixed(1)} s; ${(statSync(join(directory, 'knowledge.db')).size / 2 ** 20).toFixed(0)} MiB\n`,
    );
    for (let round = 0; round < 6; round++) {
      const args = [...process.execArgv, fileURLToPath(import.meta.url), '--search', directory];
      // The sources are TypeScript; compiled before, they start as the published packages do. The first round compiles them.
      const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'compiled') };
      const line = execFileSync(process.execPath, args, { encoding: 'utf8', env });
      if (round > 0) process.stdout.write(line);
    }
  } finally {
    if (values.keep === undefined) rmSync(root, { recursive: true, force: true });
  }
} else {
  const [knowledge, opened] = await timed(async () => createKnowledge({ directory: values.search }));
  const search = (query: string): Promise<readonly [unknown, number]> =>
    timed(() => knowledge.layers.search({ query }));
  const before = process.cpuUsage();
  const [, first] = await search('guide wterm w1zterm retry');
  const { user, system } = process.cpuUsage(before);
  const [, other] = await search('w3kterm 部署 request');
  process.stdout.write(
    `first search ${first.toFixed(0)} ms (processor ${((user + system) / 1000).toFixed(0)} ms), another ${other.toFixed(1)} ms (open ${opened.toFixed(1)} ms)\n`,
  );
  await knowledge.close();
}
