/** What the system or the content rejects: each answer says what happened, that nothing was changed, and what to do. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCodingTools } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import type { CodingTools } from '@cairn/coding-agent';
import { expect, test } from 'vitest';
import { call } from './support.ts';
import { createTree, file, symlink, temporaryDirectory } from '../support/tree.ts';

const child = fileURLToPath(new URL('permission-child.ts', import.meta.url));
const NOBODY = 65_534;

/** Runs calls as a user whom modes stop: as nobody where this is root. */
function asNobody(root: string, calls: readonly object[]): { reason?: string; text: string }[] {
  const state = temporaryDirectory();
  const own = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if ('uid' in own) for (const path of [root, state]) chownSync(path, NOBODY, NOBODY);
  const { stdout, stderr, status } = spawnSync(process.execPath, [child, root, state, JSON.stringify(calls)], {
    ...own,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as { reason?: string; text: string }[];
}

const edits = [{ old_text: 'old', new_text: 'new' }];
const update = (path: string): string => `*** Begin Patch\n*** Update File: ${path}\n@@\n-old\n+new\n*** End Patch\n`;

const denied: readonly (readonly [
  reason: string,
  tool: keyof CodingTools,
  input: object,
  code: string,
  says: RegExp,
])[] = [
  [
    'a file that may not be read',
    'read',
    { path: 'secret' },
    'PERMISSION',
    /^secret cannot be accessed: permission denied\. /u,
  ],
  [
    'the same, edited',
    'edit',
    { path: 'secret', edits },
    'PERMISSION',
    /^secret cannot .* Nothing was changed\. Choose/u,
  ],
  [
    'the same, written',
    'write',
    { path: 'secret', content: 'x' },
    'PERMISSION',
    /^secret cannot .* Nothing was changed\./u,
  ],
  [
    'a file of another user, edited',
    'edit',
    { path: 'foreign', edits },
    'PERMISSION',
    /^foreign .* Nothing was changed\./u,
  ],
  [
    'a file of another user, patched',
    'patch',
    { patch: update('foreign') },
    'PERMISSION',
    /^foreign .* Nothing was changed\./u,
  ],
  [
    'a directory that may not be written',
    'write',
    { path: 'closed/new', content: 'x' },
    'PERMISSION',
    /^closed\/new .* Nothing was/u,
  ],
  ['a file in it, edited', 'edit', { path: 'closed/a', edits }, 'PERMISSION', /^closed\/a .* Nothing was changed\./u],
  ['a file in it, deleted', 'delete', { path: 'closed/a' }, 'PERMISSION', /^closed\/a .* Nothing was changed\./u],
  [
    'a file in it, renamed',
    'rename',
    { from: 'closed/a', to: 'b' },
    'PERMISSION',
    /^closed\/a .* Nothing was changed\./u,
  ],
  [
    'a file renamed into it',
    'rename',
    { from: 'plain', to: 'closed/b' },
    'PERMISSION',
    /^(?:plain|closed\/b) .* Nothing was/u,
  ],
  ['a directory that may not be entered', 'read', { path: 'locked/a' }, 'PERMISSION', /^locked\/a cannot be accessed/u],
  ['the same, listed', 'ls', { path: 'locked' }, 'PERMISSION', /^locked cannot be accessed/u],
  [
    'a read-only file',
    'edit',
    { path: 'read-only', edits },
    'READ_ONLY',
    /^read-only is read-only \(mode 444\)\. Nothing was changed\. /u,
  ],
];

test('a rejection of the system is reported, and nothing changes', () => {
  const root = createTree({
    plain: 'old\n',
    secret: 'old\n',
    foreign: file('old\n', { mode: 0o644 }),
    'read-only': file('old\n', { mode: 0o444 }),
    'closed/a': 'old\n',
    'locked/a': 'old\n',
  });
  if (process.getuid?.() === 0) {
    for (const path of ['plain', 'read-only', 'secret']) chownSync(join(root, path), NOBODY, NOBODY);
  } else {
    // Without root there is no other user: a mode that forbids writing stands for it.
    chmodSync(join(root, 'foreign'), 0o400);
  }
  for (const [path, mode] of [
    ['secret', 0o000],
    ['closed', 0o555],
    ['locked', 0o000],
  ] as const)
    chmodSync(join(root, path), mode);
  const before = readdirSync(root).toSorted();
  const answers = asNobody(
    root,
    denied.map(([, tool, input]) => ({ tool, input })),
  );
  denied.forEach(([reason, , , code, says], index) => {
    expect(answers[index]?.text, reason).toMatch(says);
    const isForeignWithoutRoot = process.getuid?.() !== 0 && reason.includes('another user');
    expect(answers[index]?.reason, reason).toBe(isForeignWithoutRoot ? 'READ_ONLY' : code);
  });
  for (const path of ['closed', 'locked']) chmodSync(join(root, path), 0o755);
  expect(readdirSync(root).toSorted()).toEqual(before);
  for (const directory of ['closed', 'locked']) expect(readdirSync(join(root, directory))).toEqual(['a']);
  for (const path of ['plain', 'foreign', 'read-only', 'closed/a', 'locked/a']) {
    expect(readFileSync(join(root, path), 'utf8'), path).toBe('old\n');
  }
});

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

const broken: readonly (readonly [
  reason: string,
  content: string | Uint8Array,
  tool: 'read' | 'edit' | 'write' | 'patch',
  input: object,
  says: RegExp,
  readAs: string | undefined,
])[] = [
  [
    'an unknown encoding',
    'old',
    'read',
    { encoding: 'klingon' },
    /"klingon" is unknown\. Use a label .*utf-8/u,
    undefined,
  ],
  [
    'an encoding that the new text does not fit',
    Buffer.from('caf\xe9 old', 'latin1'),
    'edit',
    { edits: [{ old_text: 'old', new_text: '\u6f22' }] },
    /cannot store as windows-1252\. Nothing was changed\. /u,
    'latin1',
  ],
  [
    'half a character to write',
    'old',
    'write',
    { content: 'x\ud800' },
    /cannot store as utf-8\. Nothing was changed\. /u,
    undefined,
  ],
  [
    'half a character to put in',
    'old',
    'edit',
    { edits: [{ old_text: 'old', new_text: '\udc00' }] },
    /cannot store as utf-8\. Nothing was changed\. /u,
    undefined,
  ],
  [
    'broken bytes named by what stands for them',
    Buffer.from([0x61, 0xff, 0x62]),
    'edit',
    { edits: [{ old_text: 'a\ufffdb', new_text: 'x' }] },
    /Nothing was changed\. .*U\+FFFD, which stands for bytes that are not text/u,
    undefined,
  ],
  [
    'UTF-16 without a mark',
    utf16('old').subarray(2),
    'edit',
    { edits },
    /is not a text file.*Nothing was changed\. /u,
    undefined,
  ],
  ['a NUL in a text', 'old\0', 'edit', { edits }, /is not a text file.*Nothing was changed\. /u, undefined],
  [
    'a NUL in a text, patched',
    'old\n\0',
    'patch',
    { patch: update('a') },
    /is not a text file.*Nothing was changed\. /u,
    undefined,
  ],
];

test.each(broken)('%s is rejected with what to do', async (_reason, content, tool, input, says, readAs) => {
  const root = createTree({ a: content });
  const tools = createCodingTools({ root, stateDirectory: temporaryDirectory() });
  await tools.read.execute({ path: 'a', encoding: readAs });
  const answer = await call<unknown>(tools[tool], tool === 'patch' ? input : { path: 'a', ...input });
  expect(textOf(answer)).toMatch(says);
  expect(answer.isError).toBe(true);
  expect(readFileSync(join(root, 'a'))).toEqual(Buffer.from(content as Uint8Array));
});

test('an odd number of bytes in UTF-16 is kept by an edit elsewhere', async () => {
  const content = Buffer.concat([utf16('old\nend'), Buffer.of(0x41)]);
  const root = createTree({ a: content });
  const tools = createCodingTools({ root, stateDirectory: temporaryDirectory() });
  expect(await tools.edit.execute({ path: 'a', edits })).toMatchObject({ isError: false });
  expect(readFileSync(join(root, 'a'))).toEqual(Buffer.concat([utf16('new\nend'), Buffer.of(0x41)]));
});

test('a directory, a link to one, and a path below a file are not files', async () => {
  const root = createTree({ d: {}, link: symlink('d'), f: 'old' });
  const tools = createCodingTools({ root, stateDirectory: temporaryDirectory() });
  for (const path of ['d', 'd/', 'link', '.', './d/.']) {
    for (const [tool, input] of [
      ['edit', { path, edits }],
      ['write', { path, content: 'x' }],
      ['patch', { patch: update(path) }],
    ] as const) {
      const answer = await call<unknown>(tools[tool], input);
      expect(textOf(answer), `${tool} ${path}`).toMatch(/ is a directory.*Nothing was changed\. \w/u);
    }
  }
  for (const [tool, input] of [
    ['edit', { path: 'f/x', edits }],
    ['write', { path: 'f/x/y', content: 'x' }],
    ['read', { path: 'f/x' }],
  ] as const) {
    const answer = await call<unknown>(tools[tool], input);
    expect(answer, tool).toMatchObject({ isError: true, details: { reason: 'NOT_A_DIRECTORY', changed: false } });
  }
  expect(readdirSync(root).toSorted()).toEqual(['d', 'f', 'link']);
});

test.skipIf(process.platform === 'win32')('a search names what it could not read as it names what it found', () => {
  const rows = [
    ['grep', { pattern: 'x' }, 'secret, src/closed'],
    ['grep', { pattern: 'x', path: 'src' }, 'src/closed'],
    ['grep', { pattern: 'x', path: 'src/closed' }, 'src/closed'],
    ['grep', { pattern: 'x', path: 'src', mode: 'count' }, 'src/closed'],
    ['grep', { pattern: 'x', path: 'secret' }, 'secret'],
    ['glob', { pattern: '*.ts' }, 'src/closed'],
    ['glob', { pattern: '*.ts', path: 'src' }, 'src/closed'],
    ['glob', { pattern: 'src/closed/*.ts' }, 'src/closed'],
    ['glob', { pattern: '*.ts', path: 'src/closed' }, 'src/closed'],
  ] as const;
  const root = createTree({ src: { 'a.ts': 'x', closed: { 'b.ts': 'x' } }, secret: 'x' });
  for (const path of ['src/closed', 'secret']) chmodSync(join(root, path), 0o000);
  const answers = asNobody(
    root,
    rows.map(([tool, input]) => ({ tool, input })),
  );
  const named = answers.map(({ text }) => / could not be read: (.*)\]/u.exec(text)?.[1]);
  expect(named).toEqual(rows.map(([, , path]) => path));
});
