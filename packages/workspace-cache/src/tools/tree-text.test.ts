import { expect, test } from 'vitest';
import { requireTree } from './tree-text.ts';

test.each([
  [
    'the scan is not complete after 5 ms; choose a smaller root, or raise timeoutMs',
    /5 ms; show a smaller directory$/u,
  ],
  ['the workspace has more entries than one scan may collect; choose a smaller root', /; show a smaller directory$/u],
  ['cannot find /x; check the path', /^cannot find \/x; check the path$/u],
])('the advice of %j is what a model can do', (error, summary) => {
  const fail = (): void => requireTree({ error, entries: 0 }, 'x', 'Tell the user.');
  expect(fail).toThrow(expect.objectContaining({ summary: expect.stringMatching(summary) as string }));
});
