import { expect, test } from 'vitest';
import { CairnError, isNamed } from './cairn-error.ts';
import { explaining, explainSystemError, isMissing } from './system-error.ts';
import { ToolError } from './tool-error.ts';

test('errors are recognised by their mark and name, even from another copy of a package', () => {
  const copy = Object.assign(new Error('copy'), { [Symbol.for('cairn.error')]: true });
  expect(CairnError.isInstance(copy)).toBe(true);
  expect(ToolError.isInstance(copy)).toBe(false);
  expect(ToolError.isInstance(Object.assign(copy, { name: 'ToolError' }))).toBe(true);
  expect(CairnError.isInstance(new ToolError('IO', ['a', 'b']))).toBe(true);
  expect(CairnError.isInstance(new Error('plain'))).toBe(false);
  expect(isNamed('ToolError')(null)).toBe(false);
  expect(isNamed('ToolError')(Object.assign(new Error('foreign'), { name: 'ToolError' }))).toBe(false);
});

test('the mark is not enumerable, so that an error serialises without it', () => {
  const error = new ToolError('IO', ['a', 'b'], { path: 'p' });
  const json: unknown = JSON.parse(JSON.stringify(error));
  expect(json).toEqual({ changed: false, code: 'IO', hint: 'b', name: 'ToolError', path: 'p', summary: 'a' });
});

test('a tool error joins its summary and its hint, and keeps its cause', () => {
  const cause = new Error('cause');
  const error = new ToolError('STALE', ['a changed', 'Read it again.'], { cause });
  expect(error).toMatchObject({ message: 'a changed. Read it again.', code: 'STALE', changed: false, cause });
});

test.each([
  ['ENOENT', 'NOT_FOUND'],
  ['EACCES', 'PERMISSION'],
  ['ENOSPC', 'NO_SPACE'],
  ['EINVAL', 'INVALID_INPUT'],
  ['EWHATEVER', 'IO'],
])('the system error %s becomes %s and names the path', async (code, expected) => {
  const system = Object.assign(new Error(code), { code });
  await expect(explaining('a.txt', () => Promise.reject(system))).rejects.toMatchObject({
    code: expected,
    path: 'a.txt',
    cause: system,
  });
});

test('errors that are not of the system pass unchanged', () => {
  const error = Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' });
  expect(explainSystemError(error, 'a')).toBe(error);
  expect(explainSystemError('text', 'a')).toBe('text');
  expect(isMissing(error)).toBe(false);
});
