/** The failure matrix of file edits: what goes wrong when an agent edits files of every kind. One case, one row. */
import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Case, Step } from './judge.ts';

function utf16(text: string): Buffer {
  return Buffer.from(`\ufeff${text}`, 'utf16le');
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function edit(path: string, oldText: string, newText: string): Step {
  return { edit: path, edits: [{ oldText, newText }] };
}

/** Something that happens to a file next to the product. */
function others(change: (root: string) => void): Step {
  return { others: change };
}

function modeIs(path: string, mode: number): (root: string) => string | undefined {
  return (root) => {
    const found = statSync(join(root, path)).mode & 0o7777;
    return found === mode ? undefined : `mode ${mode.toString(8)} became ${found.toString(8)}`;
  };
}

function isLink(path: string): (root: string) => string | undefined {
  return (root) => (lstatSync(join(root, path)).isSymbolicLink() ? undefined : 'the link became a file');
}

const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
const PARALLEL = 20;
const HUGE_BYTES = 24 * 1024 * 1024;
/** What a model can be given of a huge file without drowning in it. */
const MAX_ANSWER = 256 * 1024;

/** What a program begins with, and every byte there is. */
const binary = Buffer.concat([
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0]),
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
]);

const secret = { '../outside/secret.txt': 'the secret\n' };

const bytes: readonly Case[] = [
  {
    title: 'CRLF file, LF in the call',
    files: { 'a.txt': 'one\r\ntwo\r\nthree\r\n' },
    steps: [edit('a.txt', 'one\ntwo', 'one\n2')],
    wanted: 'done',
    after: { 'a.txt': 'one\r\n2\r\nthree\r\n' },
  },
  {
    title: 'CRLF file, a line is added',
    files: { 'a.txt': 'one\r\ntwo\r\n' },
    steps: [edit('a.txt', 'one', 'one\nmore')],
    wanted: 'done',
    after: { 'a.txt': 'one\r\nmore\r\ntwo\r\n' },
  },
  {
    title: 'LF file, CRLF in the call',
    files: { 'a.txt': 'one\ntwo\nthree\n' },
    steps: [edit('a.txt', 'one\r\ntwo', 'one\r\n2')],
    wanted: 'done',
    after: { 'a.txt': 'one\n2\nthree\n' },
  },
  {
    title: 'mixed line ends',
    files: { 'a.txt': 'one\r\ntwo\nthree\r\nfour\n' },
    steps: [edit('a.txt', 'four', '4')],
    wanted: 'done',
    after: { 'a.txt': 'one\r\ntwo\nthree\r\n4\n' },
  },
  {
    title: 'mixed line ends within the edit',
    files: { 'a.txt': 'one\r\ntwo\nthree\r\nfour\n' },
    steps: [edit('a.txt', 'one\ntwo\nthree', 'one\n2\nthree')],
    wanted: 'done',
    after: { 'a.txt': 'one\r\n2\nthree\r\nfour\n' },
  },
  {
    title: 'lone CR in a line',
    files: { 'a.txt': 'one\rtwo\nthree\n' },
    steps: [edit('a.txt', 'three', '3')],
    wanted: 'done',
    after: { 'a.txt': 'one\rtwo\n3\n' },
  },
  {
    title: 'byte order mark',
    files: { 'a.txt': '\ufeffone\ntwo\n' },
    steps: [edit('a.txt', 'one', '1')],
    wanted: 'done',
    after: { 'a.txt': '\ufeff1\ntwo\n' },
  },
  {
    title: 'Latin-1 bytes elsewhere',
    files: { 'a.txt': latin1('caf\xe9\nname = old\nna\xefve\n') },
    steps: [edit('a.txt', 'name = old', 'name = new')],
    wanted: 'done',
    after: { 'a.txt': latin1('caf\xe9\nname = new\nna\xefve\n') },
  },
  {
    title: 'Latin-1 bytes in the edited line',
    files: { 'a.txt': latin1('caf\xe9 = old\n') },
    steps: [edit('a.txt', '= old', '= new')],
    wanted: 'done',
    after: { 'a.txt': latin1('caf\xe9 = new\n') },
  },
  {
    title: 'UTF-16',
    files: { 'a.txt': utf16('one\r\nt\u00e9o\r\n') },
    steps: [edit('a.txt', 't\u00e9o', 'zwei')],
    wanted: 'done',
    after: { 'a.txt': utf16('one\r\nzwei\r\n') },
  },
  {
    title: 'UTF-16 is read as text',
    files: { 'a.txt': utf16('one \u6f22\r\n') },
    steps: [{ read: 'a.txt' }],
    wanted: 'done',
    listen: (text) => (text.includes('one \u6f22') ? undefined : 'shows garbage'),
  },
  {
    title: 'no final newline',
    files: { 'a.txt': 'one\ntwo' },
    steps: [edit('a.txt', 'two', '2')],
    wanted: 'done',
    after: { 'a.txt': 'one\n2' },
  },
  {
    title: 'trailing whitespace elsewhere',
    files: { 'a.txt': 'one  \ntwo\t\nthree\n' },
    steps: [edit('a.txt', 'three', '3')],
    wanted: 'done',
    after: { 'a.txt': 'one  \ntwo\t\n3\n' },
  },
  {
    title: 'curly quotes elsewhere, plain ones in the call',
    files: { 'a.txt': 'say \u201chi\u201d\nand \u2018ho\u2019  \nend\n' },
    steps: [edit('a.txt', 'say "hi"', 'say "ha"')],
    wanted: 'done',
    after: { 'a.txt': 'say "ha"\nand \u2018ho\u2019  \nend\n' },
  },
  {
    title: '`$` in a replacement',
    files: { 'a.txt': 'price: 5\n' },
    steps: [edit('a.txt', '5', "$& $1 $' $$ $`")],
    wanted: 'done',
    after: { 'a.txt': "price: $& $1 $' $$ $`\n" },
  },
];

const matching: readonly Case[] = [
  {
    title: 'ambiguous match',
    files: { 'a.txt': 'x = 1\ny = 2\nx = 1\n' },
    steps: [edit('a.txt', 'x = 1', 'x = 3')],
    wanted: 'refused',
    harm: 'changes the first of two places',
  },
  {
    title: 'no match, but a similar place',
    files: { 'a.txt': 'total = price * count\n' },
    steps: [edit('a.txt', 'total = price * amount', 'total = 0')],
    wanted: 'refused',
    harm: 'changes a place that was not named',
  },
  {
    title: 're-indentation: left out in the call',
    files: { 'a.py': 'class A:\n    def f(self):\n        return 1\n' },
    steps: [edit('a.py', 'def f(self):\n    return 1', 'def f(self):\n    x = 2\n    return x')],
    wanted: 'done',
    after: { 'a.py': 'class A:\n    def f(self):\n        x = 2\n        return x\n' },
  },
  {
    title: 're-indentation: tabs in the file, spaces in the call',
    files: { 'a.go': 'func f() {\n\tif x {\n\t\tgo()\n\t}\n}\n' },
    steps: [edit('a.go', '    if x {\n        go()\n    }', '    if y {\n        stop()\n    }')],
    wanted: 'done',
    after: { 'a.go': 'func f() {\n\tif y {\n\t\tstop()\n\t}\n}\n' },
  },
  {
    title: 'edits of one call see the original',
    files: { 'a.txt': 'left right\n' },
    steps: [
      {
        edit: 'a.txt',
        edits: [
          { oldText: 'left', newText: 'right' },
          { oldText: 'right', newText: 'left' },
        ],
      },
    ],
    wanted: 'done',
    after: { 'a.txt': 'right left\n' },
  },
  {
    title: 'second edit of a call does not match',
    files: { 'a.txt': 'one\ntwo\n' },
    steps: [
      {
        edit: 'a.txt',
        edits: [
          { oldText: 'one', newText: '1' },
          { oldText: 'three', newText: '3' },
        ],
      },
    ],
    wanted: 'refused',
    harm: 'does half of it and says it was done',
  },
  {
    title: 'edit that changes nothing',
    files: { 'a.txt': 'one\n' },
    steps: [edit('a.txt', 'one', 'one')],
    wanted: 'refused',
    harm: 'says it was done',
  },
];

const system: readonly Case[] = [
  {
    title: 'mode',
    files: { 'run.sh': 'echo old\n' },
    prepare: (root) => chmodSync(join(root, 'run.sh'), 0o750),
    steps: [edit('run.sh', 'old', 'new')],
    wanted: 'done',
    after: { 'run.sh': 'echo new\n' },
    inspect: modeIs('run.sh', 0o750),
  },
  {
    title: 'mode, file replaced',
    files: { 'run.sh': 'echo old\n' },
    prepare: (root) => chmodSync(join(root, 'run.sh'), 0o750),
    steps: [{ read: 'run.sh' }, { write: 'run.sh', content: 'echo new\n' }],
    wanted: 'done',
    after: { 'run.sh': 'echo new\n' },
    inspect: modeIs('run.sh', 0o750),
  },
  {
    title: 'read-only file',
    files: { 'a.txt': 'one\n' },
    prepare: (root) => chmodSync(join(root, 'a.txt'), 0o444),
    steps: [edit('a.txt', 'one', '1')],
    wanted: 'refused',
    harm: 'changes it all the same',
  },
  {
    title: 'symbolic link',
    files: { 'a.txt': 'one\n' },
    prepare: (root) => symlinkSync('a.txt', join(root, 'link.txt')),
    steps: [edit('link.txt', 'one', '1')],
    wanted: 'done',
    after: { 'a.txt': '1\n', 'link.txt': '1\n' },
    inspect: isLink('link.txt'),
  },
  {
    title: 'symbolic link, file replaced',
    files: { 'a.txt': 'one\n' },
    prepare: (root) => symlinkSync('a.txt', join(root, 'link.txt')),
    steps: [{ read: 'link.txt' }, { write: 'link.txt', content: '1\n' }],
    wanted: 'done',
    after: { 'a.txt': '1\n', 'link.txt': '1\n' },
    inspect: isLink('link.txt'),
  },
  {
    title: 'hard link',
    files: { 'a.txt': 'one\n' },
    prepare: (root) => linkSync(join(root, 'a.txt'), join(root, 'b.txt')),
    steps: [edit('a.txt', 'one', '1')],
    wanted: 'done',
    after: { 'a.txt': '1\n', 'b.txt': '1\n' },
    inspect: (root) =>
      readFileSync(join(root, 'b.txt'), 'utf8') === '1\n' ? undefined : 'the link is torn: the other name is old',
  },
  {
    title: 'parallel edits of one file',
    files: { 'a.txt': lines.join('') },
    steps: [
      { together: Array.from({ length: PARALLEL }, (_, index) => edit('a.txt', `line ${index}\n`, `LINE ${index}\n`)) },
    ],
    wanted: 'done',
    after: { 'a.txt': lines.join('').toUpperCase() },
  },
];

const staleness: readonly Case[] = [
  {
    title: 'stale write',
    files: { 'a.txt': 'one\n' },
    steps: [
      { read: 'a.txt' },
      others((root) => appendFileSync(join(root, 'a.txt'), 'by another program\n')),
      { write: 'a.txt', content: '1\n' },
    ],
    wanted: 'refused',
    harm: "overwrites another's change",
  },
  {
    title: 'stale edit',
    files: { 'a.ini': '[a]\nlimit = 10\n[b]\nlimit = 20\n' },
    steps: [
      { read: 'a.ini' },
      others((root) => writeFileSync(join(root, 'a.ini'), '[a]\nlimit = 20\n[b]\nlimit = 10\n')),
      edit('a.ini', 'limit = 10', 'limit = 11'),
    ],
    wanted: 'refused',
    harm: 'changes another section than was read',
  },
  {
    title: 'stale write, same size and times',
    files: { 'a.txt': 'one\n' },
    steps: [
      others((root) => utimesSync(join(root, 'a.txt'), 1_000_000, 1_000_000)),
      { read: 'a.txt' },
      others((root) => {
        writeFileSync(join(root, 'a.txt'), 'two\n');
        utimesSync(join(root, 'a.txt'), 1_000_000, 1_000_000);
      }),
      { write: 'a.txt', content: '1\n' },
    ],
    wanted: 'refused',
    harm: "overwrites another's change",
  },
  {
    title: 'file touched, but equal',
    files: { 'a.txt': 'one\n' },
    steps: [
      { read: 'a.txt' },
      others((root) => utimesSync(join(root, 'a.txt'), 1_000_000, 1_000_000)),
      { write: 'a.txt', content: '1\n' },
    ],
    wanted: 'done',
    after: { 'a.txt': '1\n' },
  },
  {
    title: 'file replaced by another one of the same content',
    files: { 'a.txt': 'one\n' },
    steps: [
      { read: 'a.txt' },
      others((root) => {
        writeFileSync(join(root, 'b.txt'), 'one\n');
        renameSync(join(root, 'b.txt'), join(root, 'a.txt'));
      }),
      edit('a.txt', 'one', '1'),
    ],
    wanted: 'done',
    after: { 'a.txt': '1\n' },
  },
  {
    title: 'write over a file never read',
    files: { 'a.txt': 'one\n' },
    steps: [{ write: 'a.txt', content: '1\n' }],
    wanted: 'refused',
    harm: 'overwrites what it never saw',
  },
];

const contents: readonly Case[] = [
  {
    title: 'binary read',
    files: { 'a.out': binary },
    steps: [{ read: 'a.out' }],
    wanted: 'refused',
    harm: 'shows garbage',
  },
  {
    title: 'binary edit',
    files: { 'a.out': binary },
    steps: [edit('a.out', 'ELF', 'FLE')],
    wanted: 'refused',
    harm: 'destroys it',
  },
  {
    title: 'huge read',
    files: { 'huge.log': Buffer.alloc(HUGE_BYTES, 'a line of a log that was never rotated\n') },
    steps: [{ read: 'huge.log' }],
    wanted: 'done',
    listen: (text) =>
      text.length <= MAX_ANSWER ? undefined : `answers with ${Math.round(text.length / 1024 / 1024)} MB of text`,
  },
  {
    title: 'read of one endless line',
    files: { 'min.js': Buffer.alloc(HUGE_BYTES / 4, 'var a=1;') },
    steps: [{ read: 'min.js' }],
    wanted: 'done',
    listen: (text) =>
      text.length <= MAX_ANSWER ? undefined : `answers with ${Math.round(text.length / 1024 / 1024)} MB of text`,
  },
];

const outside: readonly Case[] = [
  {
    title: 'outside the root by `..`: read',
    files: secret,
    steps: [{ read: '../outside/secret.txt' }],
    wanted: 'refused',
    harm: 'reads it',
  },
  {
    title: 'outside the root by `..`: edit',
    files: secret,
    steps: [edit('../outside/secret.txt', 'secret', 'joke')],
    wanted: 'refused',
    harm: 'changes it',
  },
  {
    title: 'outside the root by an absolute path: read',
    files: secret,
    steps: [{ read: '<base>/outside/secret.txt' }],
    wanted: 'refused',
    harm: 'reads it',
  },
  {
    title: 'outside the root by an absolute path: write',
    files: secret,
    steps: [{ write: '<base>/outside/new.txt', content: 'x' }],
    wanted: 'refused',
    harm: 'writes it',
  },
  {
    title: 'a sibling whose name begins as the root does',
    files: { '../root-too/secret.txt': 'the secret\n' },
    steps: [{ read: '<base>/root-too/secret.txt' }],
    wanted: 'refused',
    harm: 'reads it',
  },
  {
    title: 'outside the root by a symbolic link: read',
    files: secret,
    prepare: (root) => symlinkSync('../outside/secret.txt', join(root, 'link.txt')),
    steps: [{ read: 'link.txt' }],
    wanted: 'refused',
    harm: 'reads it',
  },
  {
    title: 'outside the root by a symbolic link: edit',
    files: secret,
    prepare: (root) => symlinkSync('../outside/secret.txt', join(root, 'link.txt')),
    steps: [edit('link.txt', 'secret', 'joke')],
    wanted: 'refused',
    harm: 'changes it',
  },
  {
    title: 'outside the root by a linked directory: new file',
    files: secret,
    prepare: (root) => symlinkSync('../outside', join(root, 'dir')),
    steps: [{ write: 'dir/new.txt', content: 'x' }],
    wanted: 'refused',
    harm: 'writes it',
  },
  {
    title: 'outside the root by a link that leads nowhere yet',
    files: secret,
    prepare: (root) => symlinkSync('../outside/new.txt', join(root, 'link.txt')),
    steps: [{ write: 'link.txt', content: 'x' }],
    wanted: 'refused',
    harm: 'writes it',
  },
  {
    title: "git's own data",
    files: { '.git/config': '[core]\n' },
    steps: [{ read: '.git/config' }, { write: '.git/config', content: '[core]\n\tfsmonitor = ./evil\n' }],
    wanted: 'refused',
    harm: 'writes it',
  },
];

export const cases: readonly Case[] = [...bytes, ...matching, ...system, ...staleness, ...contents, ...outside];
