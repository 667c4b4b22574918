/**
 * `npm run fuzz [-- --cases N --seed S --only <fuzzer>]`: compares with other programs on random input, at length.
 *
 * Progress goes to stderr. The result is one line per fuzzer; the exit code is 1 when anything differs.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Fuzzer } from './fuzzer.ts';
import { cacheFuzzer } from './cache.ts';
import { damageFuzzer } from './damage.ts';
import { editsFuzzer } from './edits.ts';
import { globFuzzer } from './glob.ts';
import { grepFuzzer } from './grep.ts';
import { dotIgnoreFuzzer, ignoreFuzzer } from './ignore.ts';
import { journalFuzzer } from './journal.ts';
import { patchFuzzer } from './patch.ts';
import { repairFuzzer } from './repair.ts';

const fuzzers: readonly Fuzzer[] = [
  grepFuzzer,
  repairFuzzer,
  ignoreFuzzer,
  dotIgnoreFuzzer,
  globFuzzer,
  cacheFuzzer,
  patchFuzzer,
  editsFuzzer,
  journalFuzzer,
  damageFuzzer,
];

/** Batches that share a seed. After a failure it goes on with the next ones. */
const batchesPerSeed = 20;
/** One more difference would show nothing new. */
const maxFailures = 20;
const progressMs = 10_000;

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string' },
    path: { type: 'string' },
  },
});

async function run(fuzzer: Fuzzer, wanted: number, firstSeed: number): Promise<boolean> {
  const began = Date.now();
  const seconds = (): number => Math.round((Date.now() - began) / 1000);
  let lastShown = began;
  let cases = 0;
  let hits = 0;
  let failures = 0;
  const onBatch = (more: number): void => {
    cases += more;
    if (Date.now() < lastShown + progressMs) return;
    lastShown = Date.now();
    process.stderr.write(`${fuzzer.name}: ${cases} of ${wanted} cases, ${seconds()} s\n`);
  };
  for (let seed = firstSeed; cases < wanted && failures < maxFailures; seed++) {
    const batches = Math.min(batchesPerSeed, Math.ceil((wanted - cases) / fuzzer.casesPerBatch));
    const result = await fuzzer.check({ seed, batches, path: values.path, onBatch });
    hits += result.hits;
    if (result.failure !== undefined) {
      failures++;
      process.stderr.write(`${fuzzer.name} found a difference:\n${result.failure}\n\n`);
    }
    if (values.path !== undefined) break;
  }
  const about = `seed ${firstSeed}, ${hits} cases with something to find, ${seconds()} s`;
  process.stdout.write(`${fuzzer.name}: ${cases} cases, ${failures} differences (${about})\n`);
  return failures === 0;
}

// No ignore rules of the user.
process.env['HOME'] = '/nonexistent';
process.env['XDG_CONFIG_HOME'] = '/nonexistent';
const chosen = fuzzers.filter(({ name }) => values.only === undefined || values.only === name);
const [cases, seed] = [Number(values.cases), Number(values.seed)];
if (chosen.length === 0 || !Number.isSafeInteger(cases) || !Number.isSafeInteger(seed)) {
  process.stderr.write(
    `--only takes one of ${fuzzers.map(({ name }) => name).join(', ')}; --cases and --seed a number\n`,
  );
  process.exitCode = 2;
} else {
  for (const fuzzer of chosen) if (!(await run(fuzzer, cases, seed))) process.exitCode = 1;
}
