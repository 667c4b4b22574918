/**
 * What does a keystroke of the autocomplete of mentions cost on top of the native searches that it makes?
 *
 *     npm run bench -- keystroke [--tree <directory>] [--rounds 40]
 *
 * Each query is typed letter by letter. For every prefix, one round times `suggest` and one the two searches it needs,
 * visible and all files, asked for concurrently; which is first changes from round to round. Files are in use, so that
 * ties are broken. The tree is the kernel's source, unless named.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createMentionProvider } from '@cairn/coding-agent';
import { fuzzyFind } from '@cairn/natives';
import { kernel } from '../lib/corpora/kernel.ts';
import { median } from '../lib/statistics.ts';

const { values } = parseArgs({ options: { tree: { type: 'string' }, rounds: { type: 'string', default: '40' } } });
const root = values.tree === undefined ? await kernel() : resolve(values.tree);
const rounds = Number(values.rounds);

const typed = ['schedcore', 'kernel/sched/cor', 'usbcorehub', 'README', '.clang'];
const used = ['kernel/sched/core.c', 'drivers/usb/core/hub.c', 'MAINTAINERS'];

/** The scans that `suggest` makes of a tree. */
const scopes = [{}, { hidden: true, gitignore: false }];
const MATCHES = 100;

const provider = createMentionProvider({ root });
for (const path of used) await provider.noteUse(path);

const native = (query: string): Promise<unknown> =>
  Promise.all(
    scopes.map((scope) =>
      fuzzyFind({ query, path: root, cache: true, maxResults: MATCHES, includePositions: true, ...scope }),
    ),
  );

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await run();
  return performance.now() - startMs;
}

interface Keystroke {
  readonly native: number[];
  readonly suggest: number[];
}

const keystrokes = new Map<string, Keystroke>();
await native('x');
for (let round = 0; round < rounds; round++) {
  for (const query of typed) {
    for (let length = 1; length <= query.length; length++) {
      const prefix = query.slice(0, length);
      const times = keystrokes.get(prefix) ?? { native: [], suggest: [] };
      keystrokes.set(prefix, times);
      const runs = [
        async () => times.native.push(await timed(() => native(prefix))),
        async () => times.suggest.push(await timed(() => provider.suggest(prefix))),
      ];
      // A search of another query in between, so that neither finds the other's work.
      for (const run of round % 2 === 0 ? runs : runs.toReversed()) {
        await native(`q${length}`);
        await run();
      }
    }
  }
}

const row = (name: string, figures: readonly number[]): string =>
  name.padEnd(20) + figures.map((figure) => figure.toFixed(2).padStart(10)).join('');

const measured = [...keystrokes].map(([prefix, times]) => {
  const [asked, suggested] = [median(times.native), median(times.suggest)];
  // On a machine that does other things too, the least times say more.
  const least = Math.min(...times.suggest) - Math.min(...times.native);
  return { prefix, figures: [asked, suggested, suggested - asked, least], more: suggested - asked, least };
});
const worst = measured.toSorted((a, b) => b.more - a.more).slice(0, 3);
const columns = ['native', 'suggest', 'more', 'least'].map((name) => name.padStart(10)).join('');
const lines = [
  `milliseconds on ${root}, medians of ${rounds} rounds; least: the difference of the shortest times`,
  `${''.padEnd(20)}${columns}`,
  ...measured.filter(({ prefix }) => typed.includes(prefix)).map(({ prefix, figures }) => row(prefix, figures)),
  `the median of ${measured.length} keystrokes costs ${median(measured.map(({ more }) => more)).toFixed(2)} ms more (least: ${median(measured.map(({ least }) => least)).toFixed(2)}), the worst:`,
  ...worst.map(({ prefix, figures }) => row(prefix, figures)),
];
process.stdout.write(`${lines.join('\n')}\n`);
