import type { CodingTools } from '@cairn/coding-agent';
import type { ToolResult } from '@cairn/tool';
import type { Tree } from '../support/tree.ts';

/** Paths and their contents; `->` is the name of another file that is the same one. */
type Files = Readonly<Record<string, string>>;

/** A call under which a process dies. */
export interface DeadlyCall {
  readonly run: (tools: CodingTools) => Promise<ToolResult>;
  /** The paths that are different afterwards; `undefined` stands for no file. */
  readonly after: Readonly<Record<string, string | undefined>>;
}

/** The files before a call. */
export const filesBefore: Files & Tree = {
  'a.txt': 'old a\n',
  'b.txt': 'old b\n',
  'c.txt': 'old c\n',
  'd/b.txt': 'old d\n',
  'hard/one.txt': `old ${'x'.repeat(3000)} end of old\n`,
};

/** Another name of `hard/one.txt`. */
export const hardLink = 'hard/two.txt';

const longer = `new ${'y'.repeat(5000)} end of new\n`;

function patch(...sections: readonly string[]): DeadlyCall['run'] {
  return (tools) => tools.patch.execute({ patch: ['*** Begin Patch', ...sections, '*** End Patch', ''].join('\n') });
}

function update(path: string, name: string, ...more: readonly string[]): string {
  return [`*** Update File: ${path}`, ...more, '@@', `-old ${name}`, `+new ${name}`].join('\n');
}

const oldHard = filesBefore['hard/one.txt'] ?? '';

export const deadlyCalls: Readonly<Record<string, DeadlyCall>> = {
  write: {
    run: (tools) => tools.write.execute({ path: 'a.txt', content: 'new a\n' }),
    after: { 'a.txt': 'new a\n' },
  },
  'write of a new file': {
    run: (tools) => tools.write.execute({ path: 'n/e/w.txt', content: 'new\n' }),
    after: { 'n/e/w.txt': 'new\n' },
  },
  'write of a longer file with two names': {
    run: (tools) => tools.write.execute({ path: 'hard/one.txt', content: longer }),
    after: { 'hard/one.txt': longer, 'hard/two.txt': longer },
  },
  'write of a shorter file with two names': {
    run: (tools) => tools.write.execute({ path: 'hard/two.txt', content: 'new\n' }),
    after: { 'hard/one.txt': 'new\n', 'hard/two.txt': 'new\n' },
  },
  'patch of three files': {
    run: patch(update('a.txt', 'a'), update('b.txt', 'b'), update('c.txt', 'c')),
    after: { 'a.txt': 'new a\n', 'b.txt': 'new b\n', 'c.txt': 'new c\n' },
  },
  'patch that edits, adds and deletes': {
    run: patch('*** Delete File: b.txt', update('a.txt', 'a'), '*** Add File: n/e/w.txt\n+new'),
    after: { 'a.txt': 'new a\n', 'b.txt': undefined, 'n/e/w.txt': 'new\n' },
  },
  'patch that moves, edits while it moves, and deletes': {
    run: patch(
      update('d/b.txt', 'd', '*** Move to: m/b.txt'),
      '*** Update File: a.txt\n*** Move to: m/a.txt',
      '*** Delete File: c.txt',
    ),
    after: {
      'd/b.txt': undefined,
      'm/b.txt': 'new d\n',
      'a.txt': undefined,
      'm/a.txt': 'old a\n',
      'c.txt': undefined,
    },
  },
  'patch of a file with two names, and of another one': {
    run: patch(
      `*** Update File: hard/one.txt\n@@\n-${oldHard.trimEnd()}\n+new ${'z'.repeat(100)}`,
      update('a.txt', 'a'),
      '*** Delete File: b.txt',
    ),
    after: {
      'hard/one.txt': `new ${'z'.repeat(100)}\n`,
      'hard/two.txt': `new ${'z'.repeat(100)}\n`,
      'a.txt': 'new a\n',
      'b.txt': undefined,
    },
  },
  rename: {
    run: (tools) => tools.rename.execute({ from: 'a.txt', to: 'm/a.txt' }),
    after: { 'a.txt': undefined, 'm/a.txt': 'old a\n' },
  },
  'rename onto another file': {
    run: (tools) => tools.rename.execute({ from: 'a.txt', to: 'b.txt', overwrite: true }),
    after: { 'a.txt': undefined, 'b.txt': 'old a\n' },
  },
  delete: {
    run: (tools) => tools.delete.execute({ path: 'a.txt' }),
    after: { 'a.txt': undefined },
  },
};
