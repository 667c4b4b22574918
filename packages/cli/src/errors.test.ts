import { describe, expect, test } from 'vitest';
import { errorLine, OutputError, UsageError } from './errors.ts';

function failure(name: string, message: string, fields: object = {}): Error {
  return Object.assign(new Error(message), { name, ...fields });
}

describe('an error is one line', () => {
  const cases: readonly (readonly [reason: string, error: unknown, line: string])[] = [
    [
      'a wrong call',
      new UsageError('--limit takes a whole number from 0'),
      'cairn: --limit takes a whole number from 0',
    ],
    [
      'the library’s own',
      failure('CairnError', 'path not found: x', { code: 'PATH_NOT_FOUND' }),
      'cairn: path not found: x',
    ],
    ['lines are joined', new UsageError('broken pattern:\n   a(\n    ^'), 'cairn: broken pattern: a( ^'],
    ['a name cannot act on the terminal', new UsageError('no \u001b[2J here'), 'cairn: no \\x1b[2J here'],
    [
      'output that cannot be written',
      new OutputError('the output could not be written: ENOSPC'),
      'cairn: the output could not be written: ENOSPC',
    ],
    [
      'the system’s own',
      failure('Error', 'EMFILE: too many open files', { code: 'EMFILE', syscall: 'open' }),
      'cairn: EMFILE: too many open files',
    ],
    [
      'a fault of ours says so',
      new TypeError('x is not a function'),
      'cairn: internal error: x is not a function; CAIRN_DEBUG=1 shows where it comes from',
    ],
    [
      'Node’s own code is a fault of ours',
      failure('TypeError', 'bad', { code: 'ERR_INVALID_ARG_TYPE' }),
      'cairn: internal error: bad; CAIRN_DEBUG=1 shows where it comes from',
    ],
    ['something thrown that is no error', 'oops', 'cairn: unexpected failure: oops'],
  ];
  test.each(cases)('%s', (_reason, error, line) => {
    expect(errorLine(error)).toBe(line);
  });
});
