import { CairnError, ToolError } from '@cairn/tool';
import { expect, test, vi } from 'vitest';
import { HostError } from './errors.ts';

test('a HostError is recognised by its mark, and no other error of Cairn is one', async () => {
  vi.resetModules();
  const copy = await import('./errors.ts');
  expect(copy.HostError).not.toBe(HostError);
  const error = new copy.HostError('STATE', 'the note cannot be written; free some space');
  expect([HostError.isInstance(error), CairnError.isInstance(error), ToolError.isInstance(error)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(HostError.isInstance(new ToolError('IO', ['a', 'b']))).toBe(false);
});
