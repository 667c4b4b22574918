import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { gitLineOf, readStatus } from './git.ts';

test.each([
  ['nothing changed', '# branch.oid 1\0# branch.head main\0', { branch: 'main', changedFiles: 0, hasCommits: true }],
  ['a detached head', '# branch.head (detached)\0', { branch: '(detached)', changedFiles: 0, hasCommits: true }],
  ['no commit', '# branch.oid (initial)\0# branch.head main\0', { branch: 'main', changedFiles: 0, hasCommits: false }],
  [
    'changed, renamed, unmerged and new files',
    [
      '# branch.head a/b',
      '1 .M N... 100644 100644 100644 1 1 a',
      '2 R. N... 100644 100644 100644 1 1 R100 new',
      '1 old name that looks like a change',
      'u UU N... 100644 100644 100644 100644 1 1 1 b',
      '? c',
      '',
    ].join('\0'),
    { branch: 'a/b', changedFiles: 4, hasCommits: true },
  ],
])('reads the status of git: %s', (_reason, output, expected) => {
  expect(readStatus(output)).toEqual(expected);
});

test.each([
  [
    'takes long and ignores signals',
    "trap '' TERM; for second in 1 2 3 4 5 6 7 8; do sleep 1; done",
    'git took too long',
  ],
  ['says nothing', 'exit 0', 'git failed'],
  ['fails', 'exit 2', 'git failed'],
])('states why there is no information when git %s', async (_reason, script, expected) => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-git-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(directory, { recursive: true });
  });
  writeFileSync(join(directory, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${directory}:${process.env['PATH'] ?? ''}`);
  const timeoutMs = expected === 'git took too long' ? 200 : 60_000;
  expect(await gitLineOf(directory, 'en', timeoutMs)).toBe(`Git: no information (${expected})`);
});
