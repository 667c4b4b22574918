import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TreeEntry, TreeSummary, TreeSummaryOptions } from '@cairn/natives';
import { invalidateFsScanCache, treeSummary } from '@cairn/natives';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { useNeutralHome } from '../support/difference.ts';
import { git } from '../support/tools.ts';
import type { ModelEntry, ModelTree } from '../support/tree-model.ts';
import { countEntries, modelChoice, modelTree } from '../support/tree-model.ts';
import { newDirectory, removeTree } from '../support/tree.ts';

beforeAll(useNeutralHome);

const everyName =
  'a b a-b src docs dist build node_modules .hidden .github .env .env.example Key.PEM x.log secret é e\u0301 É';
const name = fc.constantFrom(...everyName.split(' '));
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
const rule = fc.constantFrom(
  'a',
  '/b',
  '*.log',
  'dist/',
  'build',
  '.hidden',
  'src/*',
  '!a',
  '!src/b',
  '.env*',
  'é',
  'secret/**',
  '*',
);

type Edit = readonly ['file' | 'directory' | 'repository' | 'remove' | 'track' | 'link' | 'rule', string, string];
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constant('file' as const), path, fc.constant('')) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('directory' as const), path, fc.constant('')) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('repository' as const), path, fc.constant('')) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('remove' as const), path, fc.constant('')) },
  { weight: 6, arbitrary: fc.tuple(fc.constant('track' as const), path, fc.constant('')) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('link' as const), path, path) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('rule' as const), fc.oneof(fc.constant(''), path), rule) },
);

const names = fc.uniqueArray(name, { maxLength: 3 });
const options = fc.record({
  hidden: fc.boolean(),
  gitignore: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  exclude: names,
  allow: fc.uniqueArray(fc.constantFrom('.github', '.hidden', 'x.log', '.env'), { maxLength: 2 }),
  secrets: fc.constantFrom<string[][]>([], ['.env*', '!.env.example', '*.pem', 'secret/'], ['é'], ['s*t']),
  depth: fc.oneof(fc.constantFrom<'auto'>('auto'), fc.integer({ min: 1, max: 5 })),
  maxEntries: fc.oneof(fc.constant(100_000), fc.integer({ min: 0, max: 20 })),
  focus: fc.array(path, { maxLength: 2 }),
});

/** Makes an edit in `top`, unless something is in its way. Returns whether it was made. */
function apply(top: string, [what, where, text]: Edit): boolean {
  const to = join(top, where);
  try {
    if (what === 'track') git(['add', '--force', '--', where], top);
    else if (what === 'remove') rmSync(to, { recursive: true });
    else if (what === 'rule') writeFileSync(join(to, '.gitignore'), `${text}\n`);
    else {
      mkdirSync(dirname(to), { recursive: true });
      if (what === 'file') writeFileSync(to, '', { flag: 'wx' });
      else if (what === 'link') symlinkSync(text, to);
      else mkdirSync(what === 'repository' ? join(to, '.git') : to, { recursive: true });
    }
    return true;
  } catch {
    return false;
  }
}

/** Whether `root` is in the repository `top`, and in no other. */
function isInRepository(top: string, root: string): boolean {
  return root === top || (!existsSync(join(root, '.git')) && isInRepository(top, dirname(root)));
}

/** An entry of either side as a line. */
function line(path: string, entry: Omit<TreeEntry, 'name' | 'parent'>): string {
  return [path, entry.kind, entry.children, entry.folded, entry.target].join(' ');
}

function linesOf({ entries }: TreeSummary): string[] {
  const paths: string[] = [];
  return entries.map((entry) => {
    const path = entry.parent === -1 ? entry.name : `${paths[entry.parent]}/${entry.name}`;
    paths.push(path);
    return line(path, entry);
  });
}

function linesOfModel(tree: ModelTree, chosen: readonly string[]): string[] {
  const found = new Map<string, string>();
  const add = (entries: readonly ModelEntry[], prefix: string): void => {
    for (const entry of entries) {
      const { entries: below, name: _, ...rest } = entry;
      found.set(prefix + entry.name, line(prefix + entry.name, { ...rest, children: below.length }));
      add(below, `${prefix}${entry.name}/`);
    }
  };
  add(tree.entries, '');
  return chosen.map((path) => found.get(path) ?? `no ${path}`);
}

type Options = Omit<TreeSummaryOptions, 'path' | 'depth' | 'maxEntries' | 'focus'> &
  Required<Pick<TreeSummaryOptions, 'depth' | 'maxEntries' | 'focus'>>;

async function compare(top: string, root: string, given: Options): Promise<TreeSummary> {
  const tree = modelTree(top, root, given);
  const { depth, maxEntries, focus } = given as { depth: number | 'auto'; maxEntries: number; focus: string[] };
  const { paths, depth: levels } = modelChoice(tree, depth, maxEntries, focus);
  const summary = await treeSummary({ path: root, cache: true, ...given });
  expect(linesOf(summary)).toEqual(linesOfModel(tree, paths));
  expect(summary).toMatchObject({
    root,
    depth: levels,
    rootChildren: tree.entries.length,
    totalEntries: countEntries(tree.entries),
    excluded: tree.excluded,
    hiddenSecrets: tree.hiddenSecrets,
    complete: true,
  });
  const whole = await treeSummary({ path: root, cache: true, ...given, depth: 1000, maxEntries: 100_000, focus: [] });
  expect(linesOf(whole)).toHaveLength(countEntries(tree.entries));
  return whole;
}

const runs = Number(process.env['CAIRN_TREE_RUNS'] ?? 100);

test('a tree is what readdir and git tell, before and after edits', { timeout: 600_000 }, async () => {
  const edits = fc.array(edit, { minLength: 1, maxLength: 25 });
  const formats = fc.constantFrom('2', '3', '4', 'split', 'sha256');
  await fc.assert(
    fc.asyncProperty(
      edits,
      fc.array(edit, { maxLength: 4 }),
      options,
      fc.option(path),
      formats,
      async (before, after, given, below, format) => {
        const top = newDirectory();
        try {
          git(['init', '--quiet', ...(format === 'sha256' ? ['--object-format=sha256'] : [])], top);
          for (const one of before) apply(top, one);
          if (format === 'split') git(['update-index', '--split-index'], top);
          else if (format !== 'sha256') git(['update-index', '--index-version', format], top);
          let root = top;
          if (below !== null) {
            root = join(top, below);
            fc.pre(apply(top, ['directory', below, '']) && realpathSync(root) === root);
            const isIgnored = git(['check-ignore', '--no-index', '--', below], top, { codes: [1] }).length > 0;
            fc.pre(!isIgnored && isInRepository(top, root));
          }
          const first = await compare(top, root, given);
          for (const one of after) {
            if (!apply(top, one)) continue;
            invalidateFsScanCache(join(top, one[1]));
            invalidateFsScanCache(join(top, one[1], '.gitignore'));
          }
          fc.pre(existsSync(root) && isInRepository(top, root));
          const second = await compare(top, root, given);
          const content = ({ generation: _, ...rest }: TreeSummary): unknown => rest;
          const isSame = JSON.stringify(content(first)) === JSON.stringify(content(second));
          expect(Math.sign(second.generation - first.generation)).toBe(isSame ? 0 : 1);
        } catch (error) {
          if (error instanceof Error && error.message.startsWith('git does not tell')) fc.pre(false);
          throw error;
        } finally {
          removeTree(top);
        }
      },
    ),
    { numRuns: runs, seed: 20_261_122 },
  );
});
