import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { newDirectory, removeTree, writeTree } from '../support/tree.ts';
import type { CacheReply, CacheRequest } from './cache-child.ts';
import { createFuzzer } from './fuzzer.ts';
import type { Fuzzer } from './fuzzer.ts';

const editsPerTree = 12;

interface Edit {
  readonly kind: 'write' | 'ignore' | 'remove' | 'make' | 'move' | 'link' | 'set back' | 'copy';
  readonly path: string;
  readonly other: string;
  readonly rule: string;
  /** Whether it is announced to the cache that expires. */
  readonly announced: boolean;
  /** Whether what it changed is settled when it is listed. */
  readonly settle: boolean;
}

/** A few places, so that edits meet. Links may lead out of the root, and what they lead to is edited too. */
const places: readonly string[] = [
  [
    'root/a',
    'root/b',
    'root/c',
    'root/.h',
    'root/a/a',
    'root/a/b',
    'root/b/a',
    'root/b/.h',
    'root/a/a/a',
    'root/b/c/a',
  ],
  ['outside/a', 'outside/b', 'outside/a/b', 'outside/c', 'root/link/a', 'root/link/b', 'root/a/link/c'],
].flat();

const linkPlaces: readonly string[] = ['root/link', 'root/a/link', 'root/c', 'outside/link', 'outside/c'];

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<Edit['kind']>('write', 'make', 'remove', 'move') },
    { weight: 3, arbitrary: fc.constant<Edit['kind']>('ignore') },
    { weight: 1, arbitrary: fc.constant<Edit['kind']>('link') },
    { weight: 1, arbitrary: fc.constantFrom<Edit['kind']>('set back', 'copy') },
  ),
  path: fc.constantFrom(...places),
  other: fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...places) }, fc.constantFrom(...linkPlaces)),
  rule: fc.constantFrom('a', '/a', 'b/', '*', '!a', 'c', 'link', 'a/b', '**/a\n!b', ''),
  announced: fc.boolean(),
  settle: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
});

/**
 * The cache against no cache, each in a process of its own, since an uncached call drops what is cached. A case is an edit
 * after which all must give the same answer: the cache that keeps its scans and hears of every edit, and the cache with
 * expired scans, which validates them when it did not hear of one.
 */
export const cacheFuzzer: Fuzzer = {
  name: 'cache',
  casesPerBatch: editsPerTree,
  check: async (options) => {
    const children: Children = {
      uncached: start({}),
      informed: start({ ...lasting, FS_SCAN_CACHE_TTL_MS: lasting.FS_SCAN_EMPTY_RECHECK_MS }),
      expiring: start({ ...lasting, FS_SCAN_CACHE_TTL_MS: String(ttlMs) }),
    };
    const used = { hits: 0, validations: 0 };
    try {
      const result = await fuzzerWith(children, used).check(options);
      // Only Linux validates, and a counterexample alone may have nothing to.
      const idle = used.hits === 0 || (used.validations === 0 && process.platform === 'linux');
      if (result.failure !== undefined || options.path !== undefined || !idle) return result;
      return { ...result, failure: `the cache was hardly used: ${JSON.stringify(used)}` };
    } finally {
      await Promise.all(Object.values(children).map(stop));
    }
  },
};

/** Scans do not expire, and nothing is evicted. */
const lasting = { FS_SCAN_EMPTY_RECHECK_MS: '3600000', FS_SCAN_CACHE_MAX_ENTRIES: '100' };
const ttlMs = 1;

interface Children {
  readonly uncached: ChildProcess;
  readonly informed: ChildProcess;
  readonly expiring: ChildProcess;
}

/** What the caches have done: scans served as they were, and those that were validated. */
interface Used {
  hits: number;
  validations: number;
}

function fuzzerWith(children: Children, used: Used): Fuzzer {
  return createFuzzer<readonly Edit[]>({
    name: 'cache',
    casesPerBatch: editsPerTree,
    batch: fc.array(edit, { minLength: 1, maxLength: editsPerTree, size: 'max' }),
    compare: async (edits) => {
      const top = newDirectory();
      try {
        writeTree(top, { root: { 'a/a': { x: 'x' }, b: { '.h': { y: 'x' } }, d: 'x' }, outside: { a: { z: 'x' } } });
        const differences = await compareRoots(children, top, used, { changed: [], announced: true });
        let hits = 0;
        for (const given of edits) {
          const changed = apply(top, given);
          if (changed.length > 0) hits++;
          if (given.settle) settle(top);
          const found = await compareRoots(children, top, used, { changed, announced: given.announced });
          if (found.length > 0) return { cases: edits.length, hits, differences: [JSON.stringify(given), ...found] };
        }
        return { cases: edits.length, hits, differences };
      } finally {
        removeTree(top);
      }
    },
  });
}

/** Makes an edit, if it can be made, and returns what it changed. */
function apply(top: string, { kind, path, other, rule }: Edit): string[] {
  const [one, two] = [join(top, path), join(top, other)];
  try {
    switch (kind) {
      case 'write':
        mkdirSync(dirname(one), { recursive: true });
        writeFileSync(one, 'x\n');
        // A directory that was made on the way changed as well.
        return [one, dirname(one)];
      case 'ignore':
        writeFileSync(join(dirname(one), '.gitignore'), `${rule}\n`);
        return [join(dirname(one), '.gitignore')];
      case 'make':
        mkdirSync(one, { recursive: true });
        return [one, dirname(one)];
      case 'remove':
        if (!lstatSync(one, { throwIfNoEntry: false })) return [];
        rmSync(one, { recursive: true });
        return [one];
      case 'move': {
        if (existsSync(two)) return [];
        // When it is a link that moves into what it leads to, nothing says afterwards where that was.
        const landed = join(realpathSync(dirname(two)), basename(two));
        renameSync(one, two);
        return [one, two, landed];
      }
      case 'link':
        symlinkSync(join(top, path.startsWith('root') ? 'outside' : 'root/a'), two);
        return [two];
      case 'set back':
        utimesSync(one, 1_000_000_000, 1_000_000_000);
        return [one];
      case 'copy':
        if (existsSync(two)) return [];
        cpSync(one, two, { recursive: true, verbatimSymlinks: true });
        return [two];
    }
  } catch {
    // An edit that cannot be made changed at most what was made on the way.
    return [one, two, dirname(one)];
  }
}

/** Waits until the file system's clock has ticked so often that what was changed will not change unseen. */
function settle(top: string): void {
  const probe = join(top, 'probe');
  const changed = (): bigint => {
    writeFileSync(probe, '');
    return lstatSync(probe, { bigint: true }).ctimeNs;
  };
  const until = changed() + settledNs;
  while (changed() < until);
}

const settledNs = 30_000_000n;

/** What the caches say differently than a scan of now, by root and question. */
async function compareRoots(
  { uncached, informed, expiring }: Children,
  top: string,
  used: Used,
  { changed, announced }: { readonly changed: readonly string[]; readonly announced: boolean },
): Promise<string[]> {
  const roots = ['root', 'root/a', 'outside']
    .map((root) => join(top, root))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
  const request: CacheRequest = { cache: true, changed, olderThanMs: 0, roots };
  const unannounced = { ...request, changed: [], olderThanMs: ttlMs };
  const [expected, ofInformed, ofExpiring] = await Promise.all([
    ask(uncached, { ...request, cache: false, changed: [] }),
    ask(informed, request),
    ask(expiring, announced ? request : unannounced),
  ]);
  used.hits = ofInformed.hits;
  used.validations = ofExpiring.validations;
  const found: string[] = [];
  for (const [name, ours] of Object.entries({ informed: ofInformed, expiring: ofExpiring })) {
    for (const [root, answers] of Object.entries(expected.answers)) {
      for (const [question, answer] of Object.entries(answers)) {
        const cached = ours.answers[root]?.[question];
        if (isDeepStrictEqual(cached, answer)) continue;
        const both = JSON.stringify({ cached, uncached: answer });
        found.push(`  ${name}, ${question} in ${relative(top, root)}: ${both}`);
      }
    }
  }
  return found;
}

/** Starts a process with more environment; see there. */
function start(env: NodeJS.ProcessEnv): ChildProcess {
  return fork(join(import.meta.dirname, 'cache-child.ts'), {
    env: { ...process.env, ...env },
    execArgv: [],
    serialization: 'advanced',
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (!child.connected) return;
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}

function ask(child: ChildProcess, request: CacheRequest): Promise<CacheReply> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new Error(`a process ended: ${child.exitCode ?? child.signalCode}`));
    child.once('exit', end);
    child.once('message', (reply) => {
      child.off('exit', end);
      resolve(reply as CacheReply);
    });
    child.send(request, (error) => {
      if (error !== null) reject(error);
    });
  });
}
