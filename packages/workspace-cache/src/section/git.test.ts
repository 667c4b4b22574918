import { expect, test } from 'vitest';
import { readStatus } from './git.ts';

test.each([
  ['nothing changed', '# branch.oid 1\0# branch.head main\0', { branch: 'main', changedFiles: 0 }],
  ['a detached head', '# branch.head (detached)\0', { branch: '(detached)', changedFiles: 0 }],
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
    { branch: 'a/b', changedFiles: 4 },
  ],
])('reads the status of git: %s', (_reason, output, expected) => {
  expect(readStatus(output)).toEqual(expected);
});
