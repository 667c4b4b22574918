import type { WorkspaceChange } from '@cairn/coding-agent';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createChangeList } from './changes.ts';
import type { ChangeListContext } from './changes.ts';

type Kinds = Readonly<Record<string, 'file' | 'dir'>>;

const change = (parts: Partial<WorkspaceChange>): WorkspaceChange => {
  const at = (paths: readonly string[] = []): string[] => paths.map((path) => `/root/${path}`);
  return {
    written: at(parts.written),
    created: at(parts.created),
    createdDirectories: at(parts.createdDirectories),
    deleted: at(parts.deleted),
    renamed: (parts.renamed ?? []).map(({ from, to }) => ({ from: `/root/${from}`, to: `/root/${to}` })),
  };
};
const create = (path: string): WorkspaceChange => change({ written: [path], created: [path] });

function context(tree: Kinds, language: 'en' | 'zh' = 'en'): ChangeListContext {
  const isLeftOut = (name: string): boolean => name === 'dist' || name.startsWith('.');
  return { root: '/root', kindOf: (path) => tree[path], isLeftOut, language };
}

/** The lines between the fences. */
function linesOf(tree: Kinds, ...changes: readonly WorkspaceChange[]): string[] {
  const list = createChangeList();
  for (const one of changes) list.note(one);
  const text = list.render(context(tree));
  return text === '' ? [] : text.split('\n').slice(3, -1);
}

describe('the list of changes', () => {
  test.each<readonly [reason: string, tree: Kinds, changes: readonly WorkspaceChange[], lines: readonly string[]]>([
    ['a new file', {}, [create('src/a.ts')], ['+ src/a.ts']],
    ['a changed file', { a: 'file' }, [change({ written: ['a'] })], []],
    ['a new file that is changed again', {}, [create('a'), change({ written: ['a'] })], ['+ a']],
    [
      'a new directory',
      {},
      [change({ written: ['d/a'], created: ['d/a'], createdDirectories: ['d'] })],
      ['+ d/', '+ d/a'],
    ],
    ['a removed file', { a: 'file' }, [change({ deleted: ['a'] })], ['- a']],
    ['a removed directory', { d: 'dir', 'd/a': 'file' }, [change({ deleted: ['d'] })], ['- d/']],
    ['a file that came and went', {}, [create('a'), change({ deleted: ['a'] })], []],
    ['a file that went and came', { a: 'file' }, [change({ deleted: ['a'] }), create('a')], []],
    ['a file in place of a directory', { d: 'dir' }, [change({ deleted: ['d'] }), create('d')], ['- d/', '+ d']],
    [
      'a directory that lost its contents',
      { d: 'dir' },
      [change({ deleted: ['d'] }), change({ written: ['d/b'], created: ['d/b'], createdDirectories: ['d'] })],
      ['- d/', '+ d/', '+ d/b'],
    ],
    ['a renamed file', { a: 'file' }, [change({ renamed: [{ from: 'a', to: 'b' }] })], ['- a', '+ b']],
    ['a renamed directory', { d: 'dir' }, [change({ renamed: [{ from: 'd', to: 'e' }] })], ['- d/', '+ e/']],
    [
      'a directory that is renamed twice',
      { d: 'dir' },
      [change({ renamed: [{ from: 'd', to: 'e' }] }), change({ renamed: [{ from: 'e', to: 'f' }] })],
      ['- d/', '+ f/'],
    ],
    [
      'a directory that is renamed, and another in its place with a file of the same name',
      { d: 'dir', 'd/a': 'file' },
      [
        change({ renamed: [{ from: 'd', to: 'e' }] }),
        change({ written: ['d/a'], created: ['d/a'], createdDirectories: ['d'] }),
      ],
      ['- d/', '+ d/', '+ d/a', '+ e/'],
    ],
    ['a new file that is renamed', {}, [create('a'), change({ renamed: [{ from: 'a', to: 'b' }] })], ['+ b']],
    [
      'a new file in a directory that is renamed',
      { d: 'dir' },
      [create('d/a'), change({ renamed: [{ from: 'd', to: 'e' }] })],
      ['- d/', '+ e/', '+ e/a'],
    ],
    ['a file that the tree shows already', { a: 'file' }, [create('a')], []],
    ['a deleted path that is still there', { a: 'file' }, [change({ deleted: ['a'], written: ['a'] })], []],
    ['a secret', {}, [create('.env'), create('src/id_rsa'), create('.ssh/config')], []],
    [
      'what the rules leave out',
      {},
      [create('dist/a'), create('.cache/b'), create('.hidden-file')],
      ['+ .hidden-file'],
    ],
    ['a path outside of the root', {}, [{ ...create('a'), created: ['/other/a'], written: ['/other/a'] }], []],
    ['a name that could forge a line', {}, [create('a\n- b')], [String.raw`+ a\u{A}- b`]],
  ])('%s', (_reason, tree, changes, lines) => {
    expect(linesOf(tree, ...changes)).toEqual(lines);
  });

  test('takes a change that two caches pass on once', () => {
    const list = createChangeList();
    for (const one of [create('a'), change({ deleted: ['a'] })]) {
      list.note(one);
      list.note(one);
    }
    expect(list.render(context({}))).toBe('');
  });

  test('is empty for a root that cannot be read', () => {
    const list = createChangeList();
    list.note(create('a'));
    expect(list.render({ ...context({}), root: undefined })).toBe('');
  });

  test('has at most 50 lines', () => {
    const many = Array.from({ length: 60 }, (_, index) => create(`f${String(index).padStart(2, '0')}`));
    const lines = linesOf({}, ...many);
    expect(lines).toHaveLength(51);
    expect(lines.slice(-2)).toEqual(['+ f49', '… 10 more']);
  });

  test('remembers at most 10,000 paths and says how many more there are', () => {
    const list = createChangeList();
    for (let index = 0; index < 10_010; index++) list.note(create(`f${index}`));
    expect(list.render(context({})).split('\n').at(-2)).toBe('… 9960 more');
  });

  test('its texts in both languages', () => {
    const list = createChangeList();
    list.note(create('a`b'));
    expect(list.render(context({}))).toBe('## Changes since the directory overview\n\n```\n+ a`b\n```');
    expect(list.render(context({}, 'zh'))).toBe('## 目录结构概览之后的变化\n\n```\n+ a`b\n```');
  });
});

test('the first tree and the list give the files that exist now', () => {
  const path = fc.constantFrom('a', 'b', 'd/a', 'd/b', 'd/e/a', 'f/a');
  const action = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), path }),
    fc.record({ kind: fc.constant('delete' as const), path: fc.oneof(path, fc.constantFrom('d', 'd/e', 'f')) }),
    fc.record({
      kind: fc.constant('rename' as const),
      path: fc.oneof(path, fc.constantFrom('d', 'f')),
      to: fc.constantFrom('x', 'd/x', 'y/x'),
    }),
  );
  /** The existing paths: files, and the directories on the way to them. */
  const withParents = (files: Iterable<string>): Map<string, 'file' | 'dir'> => {
    const all = new Map<string, 'file' | 'dir'>();
    for (const one of files) {
      const parts = one.split('/');
      for (let end = 1; end < parts.length; end++) all.set(parts.slice(0, end).join('/'), 'dir');
      all.set(one, 'file');
    }
    return all;
  };
  fc.assert(
    fc.property(fc.uniqueArray(path), fc.array(action, { maxLength: 12 }), (first, actions) => {
      const before = withParents(first);
      const now = new Map(before);
      const list = createChangeList();
      const parentsOf = (one: string): string[] => [...withParents([one]).keys()].slice(0, -1);
      for (const one of actions) {
        if (one.kind === 'write') {
          if (now.get(one.path) === 'dir') continue;
          const created = now.has(one.path) ? [] : [one.path];
          const createdDirectories = parentsOf(one.path).filter((parent) => !now.has(parent));
          list.note(change({ written: [one.path], created, createdDirectories }));
          for (const directory of createdDirectories) now.set(directory, 'dir');
          now.set(one.path, 'file');
        } else if (!now.has(one.path)) {
          continue;
        } else if (one.kind === 'delete') {
          list.note(change({ deleted: [one.path] }));
          for (const other of now.keys()) if (`${other}/`.startsWith(`${one.path}/`)) now.delete(other);
        } else {
          if (now.has(one.to) || `${one.to}/`.startsWith(`${one.path}/`)) continue;
          const createdDirectories = parentsOf(one.to).filter((parent) => !now.has(parent));
          list.note(change({ renamed: [{ from: one.path, to: one.to }], createdDirectories }));
          for (const directory of createdDirectories) now.set(directory, 'dir');
          for (const [other, kind] of new Map(now)) {
            if (!`${other}/`.startsWith(`${one.path}/`)) continue;
            now.delete(other);
            now.set(`${one.to}${other.slice(one.path.length)}`, kind);
          }
        }
      }
      const text = list.render({ ...context(Object.fromEntries(before)), isLeftOut: () => false });
      const expected = new Map(before);
      for (const line of text === '' ? [] : text.split('\n').slice(3, -1)) {
        const target = line.slice(2).replace(/\/$/u, '');
        if (line.startsWith('+')) expected.set(target, line.endsWith('/') ? 'dir' : 'file');
        else for (const other of expected.keys()) if (`${other}/`.startsWith(`${target}/`)) expected.delete(other);
      }
      // What a renamed directory brought with it is not listed.
      const moved = actions.flatMap((one) => (one.kind === 'rename' ? [one.to] : []));
      const isKnown = (one: string): boolean => !moved.some((to) => one.startsWith(`${to}/`));
      const shown = (all: ReadonlyMap<string, string>): string[] => [...all.keys()].filter(isKnown).toSorted();
      expect(shown(expected)).toEqual(shown(now));
    }),
    { numRuns: 1000 },
  );
});
