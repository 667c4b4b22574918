import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { newDirectory, removeTree } from '../support/tree.ts';
import type { CacheReply, CacheRequest } from './cache-child.ts';
import { apply, edit, writeFirstTree } from './cache-edits.ts';
import type { Edit } from './cache-edits.ts';
import { createFuzzer } from './fuzzer.ts';
import type { Fuzzer } from './fuzzer.ts';

const editsPerTree = 12;

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
        writeFirstTree(top);
        const differences = await compareRoots(children, top, used, { changed: [], announced: true, order: 0 });
        let hits = 0;
        for (const given of edits) {
          const changed = apply(top, given);
          if (changed.length > 0) hits++;
          if (given.settle) settle(top);
          const { announced, order } = given;
          const found = await compareRoots(children, top, used, { changed, announced, order });
          if (found.length > 0) return { cases: edits.length, hits, differences: [JSON.stringify(given), ...found] };
        }
        return { cases: edits.length, hits, differences };
      } finally {
        removeTree(top);
      }
    },
  });
}

/** Waits until the file system's clock has ticked so often that what was changed will not change unseen. */
function settle(top: string): void {
  // Where no link of the tree leads.
  const probe = `${top}.probe`;
  const changed = (): bigint => {
    writeFileSync(probe, '');
    return lstatSync(probe, { bigint: true }).ctimeNs;
  };
  const until = changed() + settledNs;
  while (changed() < until);
  rmSync(probe);
}

const settledNs = 30_000_000n;

/** What the caches say differently than a scan of now, by root and question. */
async function compareRoots(
  { uncached, informed, expiring }: Children,
  top: string,
  used: Used,
  { changed, announced, order }: Pick<Edit, 'announced' | 'order'> & { readonly changed: readonly string[] },
): Promise<string[]> {
  const roots = ['root', 'root/a', 'outside']
    .map((root) => join(top, root))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
  const request: CacheRequest = { cache: true, changed, olderThanMs: 0, roots, order };
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
