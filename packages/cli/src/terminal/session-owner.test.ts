import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import process from 'node:process';
import { expect, test } from 'vitest';
import { ownerOf, parseProcesses, parseStat, sessionOwner } from './session-owner.ts';
import type { ProcessFacts } from './session-owner.ts';

function at(pid: number, parent: number, tty: string, leader?: number): ProcessFacts {
  return { pid, parent, tty, startedAt: `start of ${pid}`, ...(leader !== undefined && { leader }) };
}

const table: readonly (readonly [
  reason: string,
  list: readonly ProcessFacts[],
  expected: ReturnType<typeof ownerOf>,
])[] = [
  [
    'a run of the shell of a terminal',
    [at(9, 5, 'pts/1', 5), at(5, 2, 'pts/1', 5)],
    { kind: 'terminal', facts: 'pts/1 5 start of 5' },
  ],
  [
    'a run of a script, or of npx, in the terminal',
    [at(9, 8, 'pts/1', 5), at(8, 5, 'pts/1', 5), at(5, 2, 'pts/1', 5)],
    { kind: 'terminal', facts: 'pts/1 5 start of 5' },
  ],
  [
    'the same where the system does not tell the leader',
    [at(9, 8, 's001'), at(8, 5, 's001'), at(5, 2, 's001'), at(2, 1, '')],
    { kind: 'terminal', facts: 's001 5 start of 5' },
  ],
  [
    'a run that has a terminal of its own',
    [at(9, 5, 'pts/1', 9), at(5, 2, '', 5)],
    { kind: 'parent', facts: '5 start of 5' },
  ],
  [
    'a run in the background whose shell is gone',
    [at(9, 6, 'pts/1', 5), at(6, 1, 'pts/1', 5)],
    { kind: 'parent', facts: '6 start of 6' },
  ],
  ['a run without a terminal', [at(9, 5, '', 5), at(5, 1, '', 5)], { kind: 'parent', facts: '5 start of 5' }],
  ['a run that lost its parent', [at(9, 1, '', 5), at(1, 0, '', 1)], undefined],
  ['a run whose parent is not visible', [at(9, 5, '', 5)], undefined],
  ['nothing is known', [], undefined],
];

test.each(table)('the owner of the sessions of %s', (_, list, expected) => {
  expect(ownerOf(9, (pid) => list.find((one) => one.pid === pid))).toEqual(expected);
});

test('reads a line of /proc whatever the name of the program is', () => {
  const rest = 'S 7 8 9 34816 10 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 1 2';
  const expected = { pid: 42, parent: 7, leader: 9, tty: '34816', startedAt: '123456' };
  for (const name of ['node', 'a b', ') S 1 1 1 1', '(']) expect(parseStat(`42 (${name}) ${rest}\n`)).toEqual(expected);
  expect(parseStat(`42 (node) ${rest.replace('34816', '0')}`)?.tty).toBe('');
  expect(parseStat('')).toBeUndefined();
});

test('reads the list of processes of ps', () => {
  const output =
    '    1     0 ??       Mon Nov 23 20:00:00 2026    \n  501     1 ttys001  Mon Nov  2 21:00:00 2026\n 502 1 ? Tue\nx\n';
  expect([...parseProcesses(output).values()]).toEqual([
    { pid: 1, parent: 0, tty: '', startedAt: 'Mon Nov 23 20:00:00 2026' },
    { pid: 501, parent: 1, tty: 'ttys001', startedAt: 'Mon Nov  2 21:00:00 2026' },
    { pid: 502, parent: 1, tty: '', startedAt: 'Tue' },
  ]);
});

test.runIf(platform() === 'linux')('both ways agree about a real process', () => {
  const stat = parseStat(readFileSync('/proc/self/stat', 'utf8'));
  const listed = parseProcesses(execFileSync('ps', ['-axo', 'pid=,ppid=,tty=,lstart='], { encoding: 'utf8' }));
  const found = listed.get(process.pid);
  expect([stat?.pid, stat?.parent, stat?.tty === '']).toEqual([process.pid, found?.parent, found?.tty === '']);
});

test.each([
  ['1', false],
  ['true', false],
  ['woodpecker', false],
  ['', true],
  ['0', true],
  ['false', true],
])('with CI=%j there is an owner: %s', (CI, hasOwner) => {
  expect(sessionOwner({ CI }, 'linux') !== undefined).toBe(hasOwner);
  expect(sessionOwner({ CI }, 'win32')).toBeUndefined();
});
