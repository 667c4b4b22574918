/**
 * A process of its own, whose environment lets it index a small tree: it compares each answer with the answer of a search without
 * an index, while files change.
 */
import '../support/fixed-seed.ts';
import { fsScanCacheStats, grep, type GrepOptions } from '@cairn/natives';
import fc from 'fast-check';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const root = process.argv[2] ?? '';

const words = [
  'alpha',
  'Beta',
  'GAMMA_MAX',
  'k\u{212a}elvin',
  'straße',
  '漢字',
  'foo(1)',
  'a b',
  'x',
  '\0',
  '\r\n',
  '\n\n',
];
const word = fc.constantFrom(...words);
const content = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(fc.oneof(word, fc.constant('\n')), { maxLength: 8 }).map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: word.map((one) => Buffer.from(`\ufeff${one}\n`, 'utf16le')) },
  { weight: 1, arbitrary: word.map((one) => `${'filler line\n'.repeat(12_000)}${one}\n`) },
);
const names = ['a.ts', 'b.txt', 'c.md', 'd.ts', 'e', '.h'];
const path = fc.constantFrom(
  ...['', 'sub/', 'sub/deep/', 'other/'].flatMap((below) => names.map((name) => below + name)),
);

const part = fc.oneof(
  { weight: 3, arbitrary: word },
  fc.constantFrom(
    'alp',
    'ha',
    '[Bb]eta',
    'GAMMA\\w+',
    '(?:alpha|x)',
    '(?i:beta)',
    '.*',
    '\\b',
    'absent',
    'k?',
    '(?=x)',
    '[^x]{3}',
    '(a|漢)',
  ),
);
const flag = fc.option(fc.boolean(), { nil: undefined });
const small = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });
const pattern = fc.array(part, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(''));
const options: fc.Arbitrary<Omit<GrepOptions, 'path'>> = fc.record({
  pattern: fc.oneof(
    { weight: 4, arbitrary: pattern },
    { weight: 1, arbitrary: fc.array(pattern, { minLength: 1, maxLength: 3 }) },
  ),
  literal: flag,
  ignoreCase: flag,
  smartCase: flag,
  wholeWord: flag,
  wholeLine: flag,
  invert: fc.constantFrom(...Array<undefined>(9), true),
  multiline: flag,
  crlf: flag,
  pcre2: fc.constantFrom(...Array<undefined>(9), true),
  binary: fc.constantFrom(undefined, 'skip', 'search', 'text'),
  mode: fc.constantFrom(undefined, 'content', 'count', 'filesWithMatches'),
  countUnit: fc.constantFrom(undefined, 'lines', 'matches', 'spanning'),
  glob: fc.constantFrom(undefined, '*.ts', 'sub/**', '!*.md'),
  type: fc.constantFrom(undefined, undefined, 'ts'),
  hidden: flag,
  context: small,
  maxCount: small,
  offset: small,
  maxCountPerFile: small,
  maxFileSize: fc.constantFrom(undefined, undefined, 20),
});

function write(name: string, data: string | Uint8Array): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), data);
}

let [runs, used, excluded] = [0, 0, 0];

/** What an index may not change. */
async function answerOf(search: GrepOptions): Promise<unknown> {
  try {
    const { filesExcluded = 0, freshness, ...rest } = await grep(search);
    if (freshness !== undefined) used += 1;
    excluded += filesExcluded;
    return rest;
  } catch (error) {
    return String(error);
  }
}

for (const [name, data] of fc.sample(fc.tuple(path, content), 200)) write(name, data);
for (let isDone = false; !isDone;) {
  const { filesExcluded } = await grep({ pattern: 'nothing has this', path: root, cache: true });
  isDone = filesExcluded !== undefined && !fsScanCacheStats().contentIndex.building;
  await setTimeout(5);
}

const changes = fc.array(fc.tuple(path, fc.option(content)), { maxLength: 2 });
const place = fc.constantFrom('', '', '', 'sub');
await fc.assert(
  fc.asyncProperty(options, place, changes, fc.boolean(), async (search, below, changed, pauses) => {
    for (const [name, data] of changed) {
      if (data === null) rmSync(join(root, name), { force: true });
      else write(name, data);
    }
    // Long enough for a changed file to be indexed again.
    if (pauses) await setTimeout(25);
    const shared = { ...search, path: join(root, below), includeNodeModules: true };
    const [given, expected] = [await answerOf({ ...shared, cache: true }), await answerOf(shared)];
    runs += 1;
    if (!isDeepStrictEqual(given, expected)) {
      throw new Error(
        `${JSON.stringify({ given, expected }, null, 1)}\n${readdirSync(root, { recursive: true }).join()}`,
      );
    }
  }),
  { numRuns: Number(process.argv[3]), endOnFailure: true },
);
process.stdout.write(JSON.stringify({ runs, used, excluded }));
