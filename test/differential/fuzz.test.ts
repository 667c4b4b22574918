import { beforeAll, describe, expect, test } from 'vitest';
import { cacheFuzzer } from '../fuzz/cache.ts';
import { editsFuzzer } from '../fuzz/edits.ts';
import { globFuzzer } from '../fuzz/glob.ts';
import { grepFuzzer } from '../fuzz/grep.ts';
import { dotIgnoreFuzzer, ignoreFuzzer } from '../fuzz/ignore.ts';
import { patchFuzzer } from '../fuzz/patch.ts';
import { repairFuzzer } from '../fuzz/repair.ts';
import { useNeutralHome } from '../support/difference.ts';

beforeAll(useNeutralHome);

// The long run of the same is `npm run fuzz`; what it has found is by name in the other tests. They start a process for each
// case, which takes long where others work too.
describe('random input is answered as by', { timeout: 300_000 }, () => {
  test.each([
    ['ripgrep: patterns over texts', grepFuzzer, 40],
    ['a search for the text: what people type and no engine takes', repairFuzzer, 15],
    ['git: ignore files', ignoreFuzzer, 15],
    ['ripgrep: .ignore next to .gitignore', dotIgnoreFuzzer, 10],
    ['the rules of globs, slowly', globFuzzer, 25],
    ['a scan of now: edits that are announced to a cache, or found by it', cacheFuzzer, 40],
    ['git: patches of git and diff, also with mistakes', patchFuzzer, 15],
    ['a slow model: edits in several encodings', editsFuzzer, 10],
  ])('%s', async (_reason, fuzzer, batches) => {
    const { cases, hits, failure } = await fuzzer.check({ seed: 20_261_121, batches });
    expect(failure).toBeUndefined();
    expect(cases).toBeGreaterThan(batches);
    expect(hits).toBeGreaterThan(batches);
  });
});
