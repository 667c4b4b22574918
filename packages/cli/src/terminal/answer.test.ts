import { describe, expect, test } from 'vitest';
import { recordedContext } from '../testing/context.ts';
import { errorLine, listDocument, writeAnswer, writeError } from './answer.ts';
import { CommandError, OutputError, UsageError } from './errors.ts';

function failure(name: string, message: string, fields: object = {}): Error {
  return Object.assign(new Error(message), { name, ...fields });
}

describe('an error is one line', () => {
  const cases: readonly (readonly [reason: string, error: unknown, line: string])[] = [
    [
      'a wrong call',
      new UsageError('invalid --limit "x"', 'use a whole number'),
      'cairn: invalid --limit "x"; use a whole number',
    ],
    [
      'an error of the library',
      failure('CairnError', 'path not found: x', { code: 'PATH_NOT_FOUND', [Symbol.for('cairn.error')]: true }),
      'cairn: path not found: x',
    ],
    ['lines are joined', new OutputError('broken pattern:\n   a(\n    ^'), 'cairn: broken pattern: a( ^'],
    [
      'a message that is a sentence',
      new CommandError({ code: 'EXISTS', message: 'b.txt exists.', fix: 'Use another name.' }),
      'cairn: b.txt exists. Use another name.',
    ],
    ['control characters are escaped', new OutputError('no \u001b[2J here'), 'cairn: no \\u001b[2J here'],
    [
      'output that cannot be written',
      new OutputError('cannot write the output: ENOSPC'),
      'cairn: cannot write the output: ENOSPC',
    ],
    [
      'an error of the system',
      failure('Error', 'EMFILE: too many open files', { code: 'EMFILE', syscall: 'open' }),
      'cairn: EMFILE: too many open files',
    ],
    [
      'an internal error',
      new TypeError('x is not a function'),
      'cairn: internal error: x is not a function; set CAIRN_DEBUG=1 to see the stack trace',
    ],
    [
      'a code of Node is an internal error',
      failure('TypeError', 'bad', { code: 'ERR_INVALID_ARG_TYPE' }),
      'cairn: internal error: bad; set CAIRN_DEBUG=1 to see the stack trace',
    ],
    [
      'a thrown value that is not an error',
      'oops',
      'cairn: internal error: oops; set CAIRN_DEBUG=1 to see the stack trace',
    ],
  ];
  test.each(cases)('%s', (_reason, error, line) => {
    expect(errorLine(error)).toBe(line);
  });
});

test('an answer is lines and notices, or one document with both', async () => {
  const answer = { lines: ['a', 'b'], document: listDocument([1, 2]), notices: () => ['cut'] };
  const plain = recordedContext();
  await writeAnswer(plain.context, { color: 'never' }, answer);
  expect(plain.texts).toEqual({ out: 'a\nb\n', err: 'cairn: cut\n' });
  const json = recordedContext();
  await writeAnswer(json.context, { color: 'never', json: true }, answer);
  expect(json.texts).toEqual({
    out: '{"matches":[1,2],"shown":2,"totalMatches":2,"complete":true,"notices":["cut"]}\n',
    err: '',
  });
});

test('a list as long as its limit may be cut', () => {
  expect(listDocument([1, 2], { limit: 3 })).toMatchObject({ complete: true });
  expect(listDocument([1, 2], { limit: 2 })).toMatchObject({ complete: false, stopReason: 'limit' });
});

test('an error is one line, or one document with its facts', async () => {
  const error = Object.assign(new Error('.mcp.json was not changed'), {
    [Symbol.for('cairn.error')]: true,
    code: 'CONFIG_SYNTAX',
    path: '/a/.mcp.json',
    position: { line: 2, column: 8 },
  });
  const plain = recordedContext();
  await writeError(plain.context, error, false);
  expect(plain.texts).toEqual({ out: '', err: 'cairn: .mcp.json was not changed\n' });
  const json = recordedContext();
  await writeError(json.context, error, true);
  expect(json.texts.err).toBe('');
  expect(JSON.parse(json.texts.out)).toEqual({
    error: {
      code: 'CONFIG_SYNTAX',
      message: '.mcp.json was not changed',
      path: '/a/.mcp.json',
      line: 2,
      column: 8,
    },
  });
});

test('the hint of an error is the fix of its document', async () => {
  const facts = {
    [Symbol.for('cairn.error')]: true,
    code: 'LOCKED',
    summary: 'It is locked',
    hint: 'Try again later.',
  };
  const error = Object.assign(new Error('It is locked. Try again later.'), facts);
  const { context, texts } = recordedContext();
  await writeError(context, error, true);
  expect(JSON.parse(texts.out)).toEqual({
    error: { code: 'LOCKED', message: 'It is locked.', fix: 'Try again later.' },
  });
  expect(errorLine(error)).toBe('cairn: It is locked. Try again later.');
});

test('an error shows a path with a line feed in quotes', () => {
  const error = Object.assign(new Error('no such path: /a\nb'), { code: 'ENOENT', path: '/a\nb' });
  expect(errorLine(error)).toBe(String.raw`cairn: no such path: "/a\nb"`);
});

test('an error of standard output is never written there', async () => {
  const { context, texts } = recordedContext();
  await writeError(context, new OutputError('the disk is full'), true);
  expect(texts).toEqual({ out: '', err: 'cairn: the disk is full\n' });
});
