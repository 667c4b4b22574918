import type { TreeEntry, TreeSummary, TreeSummaryOptions } from '@cairn/natives';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildTree } from './build.ts';
import { escapeName } from './escape.ts';
import { fitTree } from './fit.ts';
import { resolveTreeOptions, type ResolvedTreeOptions, type TreeForm, type TreeOptions } from './options.ts';
import { estimateTreeTokens } from './tokens.ts';

/** A tree as a person would write it down. */
interface Node {
  readonly name: string;
  readonly children?: readonly Node[];
  readonly target?: string;
  readonly folded?: TreeEntry['folded'];
}

const directory = (name: string, ...children: readonly Node[]): Node => ({ name, children: sorted(children) });
const file = (name: string): Node => ({ name });

function sorted(nodes: readonly Node[]): Node[] {
  return nodes.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}

const isDirectory = (node: Node): boolean => node.children !== undefined;
const childrenOf = ({ children = [], folded }: Node): readonly Node[] => (folded === undefined ? children : []);
const allOf = (node: Node): Node[] => childrenOf(node).flatMap((child) => [child, ...allOf(child)]);

/**
 * The entries in the order in which a tree chooses them, written without any regard to speed. Those of a group are chosen
 * together.
 */
function groupsOfChoice(root: Node, depth: number, focus: readonly string[] = [], minShown: number = 3): Node[][] {
  const groups: Node[][] = [];
  const isChosen = (node: Node): boolean => groups.some((group) => group.includes(node));
  const add = (...nodes: readonly Node[]): void => {
    const others = nodes.filter((node) => !isChosen(node));
    if (others.length > 0) groups.push(others);
  };
  for (const child of childrenOf(root).filter(isDirectory)) add(child);
  for (const child of childrenOf(root)) add(child);
  for (const path of focus) {
    const chain = [root];
    for (const name of path.split('/')) {
      const next = childrenOf(chain.at(-1) ?? root).find((child) => child.name === name);
      if (next) chain.push(next);
    }
    if (chain.length <= path.split('/').length) continue;
    for (const node of chain.slice(1)) add(node);
    for (const node of chain.slice(-2)) for (const child of childrenOf(node)) add(child);
  }
  let directories = childrenOf(root).filter(isDirectory);
  for (let level = 2; level <= depth; level++) {
    const waiting = directories.map((node) => ({
      all: childrenOf(node).length,
      left: childrenOf(node).filter((child) => !isChosen(child)),
    }));
    while (waiting.some(({ left }) => left.length > 0)) {
      for (const { all, left } of waiting) {
        const size = left.length === all ? minShown : 1;
        add(...left.splice(0, minShown > 1 && left.length === size + 1 ? size + 1 : size));
      }
    }
    directories = directories.flatMap((node) => childrenOf(node).filter(isDirectory));
  }
  return groups;
}

/** The entries in the order in which the native function chooses them: in sequence. */
function orderOfScan(root: Node, depth: number, focus: readonly string[]): Node[] {
  return groupsOfChoice(root, depth, focus, 1).flat();
}

const folds = { excluded: ' (not listed)', repository: ' (git repository)', unreadable: ' (unreadable)' };

/** Writes the nodes of a set, line by line. */
function write(root: Node, shown: ReadonlySet<Node>, format: TreeForm): string[] {
  const lines: string[] = [];
  const visit = (node: Node, level: number, isLast: readonly boolean[], path: string): void => {
    const visible = childrenOf(node).filter((child) => shown.has(child));
    const more = childrenOf(node).length - visible.length;
    const line = (text: string, last: boolean): string => {
      if (format === 'paths') return path + text;
      if (format === 'indent') return '  '.repeat(level) + text;
      return isLast.map((one) => (one ? '    ' : '│   ')).join('') + (last ? '└── ' : '├── ') + text;
    };
    for (const child of visible) {
      const last = more === 0 && child === visible.at(-1);
      const hasShown = childrenOf(child).some((one) => shown.has(one));
      let text = escapeName(child.name);
      if (child.target !== undefined) text += ` -> ${escapeName(child.target)}`;
      if (isDirectory(child)) text += '/';
      if (child.folded) text += folds[child.folded];
      const count = childrenOf(child).length > 0 && !hasShown ? ` (${childrenOf(child).length})` : '';
      lines.push(line(text + count, last));
      visit(child, level + 1, [...isLast, last], `${path}${text}`);
    }
    if (more > 0 && visible.length > 0) lines.push(line(`… ${more} more`, true));
  };
  visit(root, 0, [], '');
  return lines;
}

interface ModelTree {
  readonly text: string;
  readonly shown: ReadonlySet<Node>;
  readonly truncated: boolean;
}

/** Adds one group after the other, and writes the whole tree again after each. */
function model(root: Node, format: TreeForm, depth: number, limit: number, focus?: readonly string[]): ModelTree {
  const groups = groupsOfChoice(root, depth, focus);
  const notice = `... (truncated, ${allOf(root).length} entries in total)`;
  const everything = write(root, new Set(groups.flat()), format).join('\n');
  if (everything.length <= limit) return { text: everything, shown: new Set(groups.flat()), truncated: false };
  if (notice.length > limit) return { text: '', shown: new Set(), truncated: true };
  const shown = new Set<Node>();
  const text = (): string => [...write(root, shown, format), notice].join('\n');
  for (const group of groups) {
    for (const node of group) shown.add(node);
    if (text().length <= limit) continue;
    for (const node of group) shown.delete(node);
    break;
  }
  return { text: text(), shown, truncated: true };
}

/** What the native function returns for a tree. */
function summaryOf(root: Node, { depth = 3, maxEntries = 2000, focus = [] }: Partial<TreeSummaryOptions>): TreeSummary {
  const levels = depth === 'auto' ? 3 : depth;
  const chosen = new Set(orderOfScan(root, levels, focus).slice(0, maxEntries));
  const entries: TreeEntry[] = [];
  let level: (readonly [Node, number])[] = [[root, -1]];
  while (level.length > 0) {
    level = level.flatMap(([node, parent]) =>
      childrenOf(node)
        .filter((child) => chosen.has(child))
        .map((child): readonly [Node, number] => {
          const kind = isDirectory(child) ? 'dir' : child.target === undefined ? 'file' : 'symlink';
          const { name, target, folded } = child;
          const children = childrenOf(child).length;
          entries.push({ name, parent, kind, children, ...(target && { target }), ...(folded && { folded }) });
          return [child, entries.length - 1];
        }),
    );
  }
  return {
    root: '/root',
    depth: levels,
    rootChildren: childrenOf(root).length,
    entries,
    totalEntries: allOf(root).length,
    excluded: 0,
    hiddenSecrets: 0,
    generation: 1,
    complete: true,
  };
}

const oddNames = ['a\nb', '… 5 more', '... (truncated, 1 entries in total)', 'x -> y', ' a', 'a ', '``` ', '\\u{A}'];
const nameArbitrary = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.', '-'), minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom(...oddNames, 'a\u202eb', '漢字', '\ud800', 'é\u0301', '│   ├── x', '└── x') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }) },
);
const isName = (name: string): boolean => !/[/\0]/u.test(name) && name !== '.' && name !== '..';

const { tree: treeArbitrary } = fc.letrec<{ node: Node; tree: Node }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', maxDepth: 5 },
    nameArbitrary.filter(isName).map(file),
    fc.record({ name: nameArbitrary.filter(isName), target: nameArbitrary }),
    fc.record({
      name: nameArbitrary.filter(isName),
      children: fc.constant([file('inside')]),
      folded: fc.constantFrom('excluded' as const, 'repository' as const, 'unreadable' as const),
    }),
    tie('tree'),
    tie('tree'),
  ),
  tree: fc
    .tuple(nameArbitrary.filter(isName), fc.uniqueArray(tie('node'), { selector: ({ name }) => name, maxLength: 9 }))
    .map(([name, children]) => directory(name, ...children)),
}));

const formatArbitrary = fc.constantFrom<TreeForm>('box', 'indent', 'paths');

/** The path of a node that exists, or does not. */
const focusArbitrary = (root: Node): fc.Arbitrary<string[]> => {
  const paths = (node: Node, path: string): string[] =>
    childrenOf(node).flatMap((child) => [`${path}${child.name}`, ...paths(child, `${path}${child.name}/`)]);
  // Parts that a caller could not mean as names.
  const all = paths(root, '').filter((path) => !path.split('/').includes(''));
  return all.length === 0 ? fc.constant([]) : fc.array(fc.constantFrom(...all, 'missing/path'), { maxLength: 2 });
};

const caseArbitrary = fc.record({
  root: treeArbitrary,
  format: formatArbitrary,
  depth: fc.integer({ min: 1, max: 5 }),
  limit: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 1500 })),
});

/** Adds the defaults of the source document, in any form. */
const resolve = ({ format = 'box', ...options }: TreeOptions): ResolvedTreeOptions => {
  const resolved = resolveTreeOptions({ ...options, format: 'source' });
  return { ...resolved, format: format === 'source' ? 'box' : format };
};

const fit = (root: Node, options: TreeOptions): ReturnType<typeof fitTree> => {
  const { depth, focus } = options;
  const levels = depth === 'fit' ? 100 : depth;
  return fitTree(summaryOf(root, { depth: levels, focus, maxEntries: 100_000 }), resolve(options));
};

/** The number of levels of a tree, at least 1. */
function depthOf({ children = [] }: Node): number {
  return Math.max(1, ...children.map((child) => 1 + depthBelow(child)));
}

function depthBelow({ children = [], folded }: Node): number {
  return children.length === 0 || folded !== undefined ? 0 : depthOf({ name: '', children });
}

/** The name that `escapeName` wrote. */
function unescape(text: string): string {
  return text.replaceAll(/\\\\|\\u\{([0-9A-F]+)\}/gu, (_match, code?: string) =>
    code === undefined ? '\\' : String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

describe('what fits', () => {
  test('is what a slow model chooses, in every form', () => {
    fc.assert(
      fc.property(caseArbitrary, ({ root, format, depth, limit }) => {
        const expected = model(root, format, depth, limit);
        const { text, truncated } = fit(root, { format, depth, maxCharacters: limit });
        expect(text).toBe(expected.text);
        expect(truncated).toBe(expected.truncated);
        expect(text.length).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 600 },
    );
  });

  test('is what a slow model chooses, with focus', () => {
    const withFocus = caseArbitrary.chain((one) => focusArbitrary(one.root).map((focus) => ({ ...one, focus })));
    fc.assert(
      fc.property(withFocus, ({ root, format, depth, limit, focus }) => {
        const expected = model(root, format, depth, limit, focus);
        const { text } = fit(root, { format, depth, maxCharacters: limit, focus });
        expect(text).toBe(expected.text);
      }),
      { numRuns: 600 },
    );
  });

  test('is the same when the scan returns few entries at a time', async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async ({ root, format, depth, limit }) => {
        const requests: number[] = [];
        const summarize = async (options: TreeSummaryOptions): Promise<TreeSummary> => {
          const maxEntries = Math.ceil((options.maxEntries ?? 0) / 10);
          requests.push(maxEntries);
          return summaryOf(root, { ...options, maxEntries });
        };
        const options = resolve({ format, depth, maxCharacters: limit });
        const { tree, metadata } = await buildTree(options, { root: '/root', clock: () => 0, summarize });
        const expected = model(root, format, depth, limit);
        expect(tree).toBe(expected.text);
        expect(metadata.truncated).toBe(expected.truncated);
        expect(requests).toEqual(requests.toSorted((a, b) => a - b));
      }),
      { numRuns: 300 },
    );
  });

  test('with the depth `fit`, as many levels as fit whole, and else two that are cut', async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary, fc.integer({ min: 1, max: 40 }), async ({ root, format, limit }, first) => {
        const deepest = depthOf(root);
        const whole = Array.from({ length: deepest }, (_, index) => model(root, format, index + 1, Infinity).text);
        // One level of a root without directories is both of its levels.
        const fitting = whole.findLastIndex((text) => text.length <= limit) + 1;
        const depth = Math.min(deepest, Math.max(2, fitting));
        const expected = model(root, format, depth, limit);
        const options = resolve({ format, depth: 'fit', maxCharacters: limit });
        let requests = 0;
        const summarize = async ({ maxEntries = 0 }: TreeSummaryOptions): Promise<TreeSummary> => {
          requests += 1;
          return summaryOf(root, { depth: 100, maxEntries: requests === 1 ? Math.min(first, maxEntries) : maxEntries });
        };
        const { tree, metadata } = await buildTree(options, { root: '/root', clock: () => 0, summarize });
        expect({ tree, truncated: metadata.truncated }).toEqual({ tree: expected.text, truncated: expected.truncated });
        // A cut tree of one level may be the first of several: the rest is not requested.
        expect(metadata.truncated ? Math.max(2, metadata.depth) : metadata.depth).toBe(
          metadata.truncated ? Math.max(2, depth) : depth,
        );
      }),
      { numRuns: 500, seed: 20_261_123 },
    );
  });

  test('never has more tokens than allowed, also with a tokenizer with counts that do not add up', () => {
    const tokenizers = [
      undefined,
      (text: string) => Math.ceil(text.length / 4),
      (text: string) => text.split('\n').length,
    ];
    fc.assert(
      fc.property(
        caseArbitrary,
        fc.constantFrom(...tokenizers),
        fc.integer({ min: 0, max: 200 }),
        ({ root, format, depth }, countTokens, maxTokens) => {
          const { text, tokens, truncated } = fit(root, { format, depth, maxTokens, countTokens });
          const whole = model(root, format, depth, Infinity).text;
          expect((countTokens ?? estimateTreeTokens)(text)).toBe(tokens);
          expect(text === '' || tokens <= maxTokens).toBe(true);
          expect(truncated).toBe((countTokens ?? estimateTreeTokens)(whole) > maxTokens);
          expect(truncated || text === whole).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('a summary with counts that do not agree, because the tree changed, stays within the limit', async () => {
  await fc.assert(
    fc.asyncProperty(
      caseArbitrary,
      fc.array(fc.nat(5), { minLength: 1 }),
      async ({ root, format, depth, limit }, counts) => {
        let requests = 0;
        const summarize = async (options: TreeSummaryOptions): Promise<TreeSummary> => {
          requests += 1;
          const summary = summaryOf(root, options);
          const entries = summary.entries.map((entry, index) => ({
            ...entry,
            children: counts[index % counts.length] ?? 0,
          }));
          return { ...summary, entries, rootChildren: counts[0] ?? 0 };
        };
        const options = resolve({ format, depth, maxCharacters: limit });
        const { tree } = await buildTree(options, { root: '/root', clock: () => 0, summarize });
        expect(tree.length).toBeLessThanOrEqual(limit);
        expect(tree).not.toMatch(/-\d+ more/u);
        expect(requests).toBeLessThan(12);
      },
    ),
    { numRuns: 300 },
  );
});

test('the lines of the paths form are the entries that are shown', () => {
  fc.assert(
    fc.property(caseArbitrary, ({ root, depth, limit }) => {
      const { text, truncated } = fit(root, { format: 'paths', depth, maxCharacters: limit });
      const lines = text.split('\n').slice(0, truncated ? -1 : undefined);
      const isMore = (line: string): boolean => /^(?:.*\/)?… \d+ more$/u.test(line);
      const paths = lines
        .filter((line) => line !== '' && !isMore(line))
        .map((line) => line.replace(/ -> .*$|\/(?: \([a-z0-9 ]+\))?$/u, ''))
        .map((line) => line.split('/').map(unescape).join('/'));
      const { shown } = model(root, 'paths', depth, limit);
      const pathsOf = (node: Node, path: string): string[] =>
        childrenOf(node).flatMap((child) =>
          shown.has(child) ? [`${path}${child.name}`, ...pathsOf(child, `${path}${child.name}/`)] : [],
        );
      expect(paths).toEqual(pathsOf(root, ''));
    }),
    { numRuns: 300 },
  );
});

test('no name forges a line: what the box form shows can be read back', () => {
  fc.assert(
    fc.property(caseArbitrary, ({ root, depth, limit }) => {
      const { text, truncated } = fit(root, { format: 'box', depth, maxCharacters: limit });
      const lines = text === '' ? [] : text.split('\n').slice(0, truncated ? -1 : undefined);
      interface Read {
        readonly name: string;
        readonly shown: Read[];
        total: number;
      }
      const top: Read = { name: '', shown: [], total: 0 };
      const open = [top];
      for (const line of lines) {
        const match = /^((?:│ {3}| {4})*)[├└]── (.*)$/u.exec(line);
        const level = (match?.[1] ?? '').length / 4;
        const parent = open[level];
        const label = match?.[2] ?? '';
        const more = /^… (\d+) more$/u.exec(label);
        if (more) {
          if (parent) parent.total += Number(more[1]);
          continue;
        }
        const [, name = '', , count] = /^(.*?)(?: -> .*|(\/)(?: \((\d+)\)| \([a-z ]+\))?)?$/u.exec(label) ?? [];
        const read: Read = { name: unescape(name), shown: [], total: Number(count ?? 0) };
        parent?.shown.push(read);
        if (parent) parent.total += 1;
        open.splice(level + 1, Infinity, read);
      }
      const compare = (node: Node, read: Read): void => {
        // A limit that holds the notice alone shows no line for the root.
        const expected = read === top && read.shown.length === 0 ? 0 : childrenOf(node).length;
        expect(read.total).toBe(expected);
        for (const one of read.shown) {
          const child = childrenOf(node).find(({ name }) => name === one.name);
          if (child === undefined) throw new Error(`no entry is named ${JSON.stringify(one.name)}`);
          compare(child, one);
        }
      };
      compare(root, top);
    }),
    { numRuns: 300 },
  );
});

const sample = directory(
  '',
  file('README.md'),
  directory('docs', file('README.md'), file('guide.md')),
  file('package.json'),
  directory(
    'src',
    file('index.js'),
    directory('utils', directory('deep', file('a')), file('config.js'), file('helper.js')),
  ),
);

test('the box form has the lines of the sample in the source document', () => {
  expect(fit(sample, {}).text.split('\n')).toEqual([
    '├── README.md',
    '├── docs/',
    '│   ├── README.md',
    '│   └── guide.md',
    '├── package.json',
    '└── src/',
    '    ├── index.js',
    '    └── utils/',
    '        ├── config.js',
    '        ├── deep/ (1)',
    '        └── helper.js',
  ]);
});

test.each<readonly [TreeForm, readonly string[]]>([
  ['indent', ['README.md', 'docs/ (2)', 'package.json', 'src/', '  index.js', '  utils/ (3)']],
  ['paths', ['README.md', 'docs/ (2)', 'package.json', 'src/', 'src/index.js', 'src/utils/ (3)']],
])('the form %s of a focus beyond the depth', (format, expected) => {
  expect(fit(sample, { format, depth: 1, focus: ['src/index.js'] }).text.split('\n')).toEqual(expected);
});

test('a name that occurs twice is labelled by its own kind', () => {
  const twice = directory('', directory('a', file('b')), directory('b', file('a')));
  expect(fit(twice, { format: 'indent' }).text).toBe('a/\n  b\nb/\n  a');
});

test('a directory shows none of its children or at least three, and never leaves out just one', () => {
  const named = (prefix: string, count: number): Node[] =>
    Array.from({ length: count }, (_, index) => file(`${prefix}${index}`));
  const root = directory(
    '',
    directory('a', ...named('a', 5)),
    directory('b', ...named('b', 4)),
    directory('c', ...named('c', 40)),
  );
  const lines = (maxCharacters: number): string[] =>
    fit(root, { format: 'indent', maxCharacters }).text.split('\n').slice(0, -1);
  expect(lines(65)).toEqual(['a/ (5)', 'b/ (4)', 'c/ (40)']);
  expect(lines(90)).toEqual(['a/', '  a0', '  a1', '  a2', '  … 2 more', 'b/ (4)', 'c/ (40)']);
  expect(lines(105)).toEqual([
    'a/',
    '  a0',
    '  a1',
    '  a2',
    '  … 2 more',
    'b/',
    '  b0',
    '  b1',
    '  b2',
    '  b3',
    'c/ (40)',
  ]);
  const whole = ['a/', '  a0', '  a1', '  a2', '  a3', '  a4', 'b/', '  b0', '  b1', '  b2', '  b3'];
  expect(lines(120)).toEqual([...whole, 'c/', '  c0', '  c1', '  c10', '  … 37 more']);
});

test('a scan that lacks entries of a group is asked again, although its own entries do not fit', async () => {
  const number = (value: number): string => String(value).padStart(2, '0');
  const files = (): Node[] => Array.from({ length: 10 }, (_, index) => file(`${'x'.repeat(43)}${number(index)}`));
  const root = directory('', ...Array.from({ length: 40 }, (_, index) => directory(`d${number(index)}`, ...files())));
  const asked: (number | undefined)[] = [];
  const summarize = async (request: TreeSummaryOptions): Promise<TreeSummary> => {
    asked.push(request.maxEntries);
    return summaryOf(root, request);
  };
  const options = resolve({ format: 'indent', depth: 2, maxCharacters: 600 });
  const { tree } = await buildTree(options, { root: '/root', clock: () => 0, summarize });
  expect(asked).toEqual([51, 204]);
  expect(tree.split('\n').slice(0, 6)).toEqual([
    'd00/',
    ...files()
      .slice(0, 3)
      .map(({ name }) => `  ${name}`),
    '  … 7 more',
    'd01/ (10)',
  ]);
});

test('a long directory does not keep the others from being shown', () => {
  const many = Array.from({ length: 500 }, (_, index) => file(`file-${index}`));
  const root = directory('', directory('a', ...many), directory('b', file('c'), file('d')));
  const { text } = fit(root, { format: 'indent', maxCharacters: 144 });
  expect(text.split('\n')).toEqual([
    'a/',
    '  file-0',
    '  file-1',
    '  file-10',
    '  file-100',
    '  file-101',
    '  file-102',
    '  file-103',
    '  … 493 more',
    'b/',
    '  c',
    '  d',
    '... (truncated, 504 entries in total)',
  ]);
});

test('top-level directories come before top-level files when not all fit, and keep their place', () => {
  const names = Array.from({ length: 20 }, (_, index) => `a${String(index).padStart(2, '0')}`);
  const root = directory('', ...names.map(file), directory('zz', file('x')));
  expect(fit(root, { format: 'indent', maxCharacters: 74 }).text.split('\n')).toEqual([
    'a00',
    'a01',
    'a02',
    'a03',
    'a04',
    'zz/ (1)',
    '… 15 more',
    '... (truncated, 22 entries in total)',
  ]);
});

test('the texts of a tree in Chinese', () => {
  const root = directory(
    '',
    { name: 'a', children: [], folded: 'excluded' },
    { name: 'b', children: [], folded: 'repository' },
    { name: 'c', children: [], folded: 'unreadable' },
    ...Array.from({ length: 30 }, (_, index) => file(`file-${index}`)),
  );
  expect(fit(root, { language: 'zh', maxCharacters: 90 }).text.split('\n')).toEqual([
    '├── a/ (未列出)',
    '├── b/ (git 仓库)',
    '├── c/ (无法读取)',
    '├── file-0',
    '└── … 还有 29 项',
    '... (截断，总共约 33 项)',
  ]);
});

test.each([
  [0, ''],
  [1, ''],
  [50, '... (truncated, 12 entries in total)'],
  [62, 'docs/ (2)\n… 3 more\n... (truncated, 12 entries in total)'],
])('a limit of %i characters', (maxCharacters, expected) => {
  const { text, truncated } = fit(sample, { format: 'indent', maxCharacters });
  expect(text).toBe(expected);
  expect(truncated).toBe(true);
});

test('an empty root is not truncated, whatever the limit', () => {
  expect(fit(directory(''), { maxCharacters: 0 })).toMatchObject({ text: '', truncated: false });
});

test('an invalid count of tokens is rejected', () => {
  for (const wrong of [Number.NaN, -1, 'x', undefined]) {
    expect(() => fit(sample, { maxTokens: 5, countTokens: () => wrong as number })).toThrow(
      `countTokens returned ${wrong}. Return a number from 0.`,
    );
  }
});

test('the work is linear in what is shown, not in what exists', async () => {
  const many = Array.from({ length: 100_000 }, (_, index) => file(`file-${index}`));
  const root = directory('', ...many);
  const asked: number[] = [];
  const summarize = async (options: TreeSummaryOptions): Promise<TreeSummary> => {
    asked.push(options.maxEntries ?? 0);
    return {
      ...summaryOf(directory(''), {}),
      rootChildren: 100_000,
      totalEntries: 100_000,
      entries: childrenOf(root)
        .slice(0, options.maxEntries)
        .map(({ name }) => ({ name, parent: -1, kind: 'file', children: 0 })),
    };
  };
  const options = resolve({});
  const { tree, metadata } = await buildTree(options, { root: '/root', clock: () => 0, summarize });
  expect(asked).toEqual([835]);
  expect(tree.length).toBeLessThanOrEqual(10_000);
  expect(tree.length).toBeGreaterThan(9_900);
  expect(tree.split('\n').slice(-2)).toEqual(['└── … 99332 more', '... (truncated, 100000 entries in total)']);
  expect(metadata).toMatchObject({ entries: 100_000, truncated: true, size: tree.length });
});

test.each([
  ['timeout', 'the scan is not complete after 10000 ms; choose a smaller root, or raise timeoutMs'],
  ['budget', 'the workspace has more entries than one scan may collect; choose a smaller root'],
] as const)('a scan that ended early (%s) gives what it found, and the error states it', async (stopReason, error) => {
  const summarize = async (): Promise<TreeSummary> => ({ ...summaryOf(sample, {}), complete: false, stopReason });
  const options = resolve({ format: 'indent', depth: 1 });
  const { tree, metadata } = await buildTree(options, { root: '/root', clock: () => 0, summarize });
  expect(tree).toContain('README.md\ndocs/');
  expect(metadata.error).toBe(error);
});

test('the depth `auto` asks for the missing entries of the level that some directories have more', async () => {
  const entries: readonly TreeEntry[] = [
    { name: 'lib', parent: -1, kind: 'dir', children: 1 },
    { name: 'src', parent: -1, kind: 'dir', children: 1 },
    { name: 'deep', parent: 0, kind: 'dir', children: 1 },
    { name: 'deep', parent: 1, kind: 'dir', children: 1 },
    { name: 'file', parent: 3, kind: 'file', children: 0 },
  ];
  const requests: number[] = [];
  const summarize = async ({ maxEntries = 0 }: TreeSummaryOptions): Promise<TreeSummary> => {
    requests.push(maxEntries);
    const shown = entries.slice(0, requests.length === 1 ? 4 : undefined);
    return { ...summaryOf(directory(''), {}), depth: 2, rootChildren: 2, totalEntries: 6, entries: shown };
  };
  const options = resolve({ depth: 'auto', format: 'paths' });
  const { tree, metadata } = await buildTree(options, { root: '/root', clock: () => 0, summarize });
  expect(requests).toHaveLength(2);
  expect(tree.split('\n')).toEqual(['lib/', 'lib/deep/ (1)', 'src/', 'src/deep/', 'src/deep/file']);
  expect(metadata.truncated).toBe(false);
});

test('the scan is shared, and a part of it is better than none', async () => {
  let asked: TreeSummaryOptions | undefined;
  const summarize = async (options: TreeSummaryOptions): Promise<TreeSummary> => {
    asked = options;
    return summaryOf(sample, options);
  };
  await buildTree(resolve({ timeoutMs: 7 }), { root: '/root', clock: () => 0, summarize });
  expect(asked).toMatchObject({ path: '/root', cache: true, timeoutMs: 7, onTimeout: 'partial' });
});

test('a link shows its target, escaped, or that it cannot be read', () => {
  const link = (name: string, rest: Partial<TreeEntry>): TreeEntry => ({
    name,
    parent: -1,
    kind: 'symlink',
    children: 0,
    ...rest,
  });
  const entries = [
    link('a', { target: 'b\n└── c' }),
    link('d', { target: '\ufffd', targetBytes: Uint8Array.of(0xff) }),
    link('e', {}),
  ];
  const summary = { ...summaryOf(directory(''), {}), rootChildren: 3, totalEntries: 3, entries };
  expect(fitTree(summary, resolve({})).text.split('\n')).toEqual([
    String.raw`├── a -> b\u{A}└── c`,
    String.raw`├── d -> \xFF`,
    '└── e -> ?',
  ]);
});
