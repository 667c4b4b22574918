import { treeSummary } from '@cairn/natives';
import { ALLOWED_NAMES, createWorkspaceCache, EXCLUDED_DIRECTORIES } from '@cairn/workspace-cache';
import { SECRET_NAMES } from '@cairn/tool/internal';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTree } from '../support/tree.ts';

const all = { format: 'paths', depth: 100, maxCharacters: Infinity, onWarning: () => undefined } as const;

const folded = { excluded: ' (not listed)', repository: ' (git repository)', unreadable: ' (unreadable)' } as const;

/** The entries of a scan of its own, which neither reads nor changes what is cached, one path a line. */
async function scannedEntries(path: string): Promise<Set<string>> {
  const rules = { exclude: EXCLUDED_DIRECTORIES, allow: ALLOWED_NAMES, secrets: SECRET_NAMES };
  const { entries, complete } = await treeSummary({ path, ...rules, depth: 100, maxEntries: 100_000 });
  expect(complete).toBe(true);
  const paths: string[] = [];
  const lines = entries.map((entry, index) => {
    const above = entry.parent === -1 ? '' : `${paths[entry.parent]}/`;
    paths[index] = `${above}${entry.name}`;
    if (entry.kind === 'symlink') return `${paths[index]} -> ${entry.target}`;
    if (entry.kind === 'file') return paths[index];
    return `${paths[index]}/${entry.folded === undefined ? '' : folded[entry.folded]}`;
  });
  return new Set(lines);
}

const name = fc.constantFrom('a', 'b', 'c.log', 'd.tmp', '.env', '.hidden', 'node_modules', 'x y');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const quote = (text: string): string => `'${text}'`;
/** A command of a shell that knows nothing of the cache. Some fail, which changes nothing or a part. */
const command = fc.oneof(
  path.map((at) => `mkdir -p "$(dirname ${quote(at)})" && : > ${quote(at)}`),
  path.map((at) => `mkdir -p ${quote(at)}`),
  path.map((at) => `rm -rf ${quote(at)}`),
  fc.tuple(path, path).map(([from, to]) => `mv ${quote(from)} ${quote(to)}`),
  fc.tuple(path, path).map(([target, at]) => `ln -sfn ${quote(target)} ${quote(at)}`),
  fc.tuple(fc.subarray(['*.log', '*.tmp', 'a/', '!b', 'x*']), path).map(([rules, at]) => {
    const file = at.includes('/') ? `${at.slice(0, at.lastIndexOf('/'))}/.gitignore` : '.gitignore';
    return `printf '%s\\n' ${rules.map(quote).join(' ')} > ${quote(file)}`;
  }),
  path.map((at) => `mkdir -p ${quote(`${at}/.git`)}`),
);

test('the tree of a run and its updates give the tree of a new run, after any commands of another process', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { maxLength: 8 }),
      fc.array(fc.array(command, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
      async (before, steps) => {
        const root = createTree({ '.ignore': '' });
        const shell = (commands: readonly string[]): void =>
          void execFileSync('sh', ['-c', commands.join('\n') || ':'], { cwd: root, stdio: 'ignore' });
        const run = (commands: readonly string[]): void => {
          try {
            shell(commands);
          } catch {
            // The last command failed.
          }
        };
        run(before);
        await using cache = createWorkspaceCache({ root, ...all, countTokens: () => 1 });
        const { run: kept } = await cache.init();
        const first = new Set(kept.data.static.tree === '' ? [] : kept.data.static.tree.split('\n'));
        let [seen, cursor] = [new Set(first), 0];
        for (const commands of steps) {
          run(commands);
          const { error } = await kept.refresh();
          expect(error).toBeUndefined();
          const whole = kept.updates({ since: 0 });
          const later = kept.updates({ since: cursor });
          cursor = later.cursor;
          const now = await scannedEntries(root);
          expect(apply(first, whole.text)).toEqual(now);
          seen = apply(seen, later.text);
          expect(seen).toEqual(now);
        }
      },
    ),
    { numRuns: 25, seed: 20_261_123 },
  );
});

/** Applies a list of changes to the lines of a tree: a directory that went takes everything in it along. */
function apply(lines: ReadonlySet<string>, updates: string): Set<string> {
  const found = new Set(lines);
  const changes = updates === '' ? [] : updates.split('\n').slice(3, -1);
  for (const change of changes) {
    const entry = change.slice(2);
    if (change.startsWith('+ ')) {
      found.add(entry);
      continue;
    }
    expect(change.startsWith('- ')).toBe(true);
    for (const line of found) {
      const isIt = line === entry || line.startsWith(`${entry} -> `) || line.startsWith(`${entry} (`);
      if (isIt || (entry.endsWith('/') && line.startsWith(entry))) found.delete(line);
    }
  }
  return found;
}
