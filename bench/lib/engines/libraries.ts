/** The peers written in JavaScript. */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

import type { Fdir, Fuzzysort, GlobLibrary } from '../peers.ts';
import { topCount } from '../task.ts';
import type { Engine } from '../task.ts';

/** `fast-glob` and `tinyglobby`: no ignore rules, files only. */
export function globLibraryEngine({ glob }: GlobLibrary): Engine {
  return (task) => {
    if (task.kind !== 'glob' || task.cached) return undefined;
    const { root, pattern } = task;
    return { run: async () => ({ count: (await glob(pattern, { cwd: root, followSymbolicLinks: false })).length }) };
  };
}

/** `fdir`: no ignore rules, no patterns. */
export function fdirEngine({ fdir: Crawler }: Fdir): Engine {
  return (task) => {
    if (task.kind !== 'list') return undefined;
    return {
      run: async () => ({ count: (await new Crawler().withRelativePaths().crawl(task.root).withPromise()).length }),
    };
  };
}

/** The files of a tree, for those that are given a list. */
export function filesBelow(root: string): string[] {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

/** `fuzzysort` on a prepared list of the files. */
export function fuzzysortEngine({ snapshot, go }: Fuzzysort): Engine {
  return (task) => {
    if (task.kind !== 'find') return undefined;
    const paths = filesBelow(task.root);
    let targets = snapshot(paths);
    const ask = (query: string) => go(query, targets, { limit: 100 });
    return {
      arm: async () => {
        // A snapshot remembers what it answered.
        targets = snapshot(paths);
        for (const query of task.before) ask(query);
      },
      run: () => {
        const results = ask(task.query);
        return { count: results.total, top: Array.from(results, ({ target }) => target).slice(0, topCount) };
      },
    };
  };
}
