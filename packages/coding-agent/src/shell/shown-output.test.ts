import { openSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { CommandOutput, KEPT_BYTES } from './command-output.ts';
import { shownOutput } from './shown-output.ts';

/** Returns the parts of an output that an answer shows: its start and its end. */
function partsOf(content: string, withheld: Readonly<Record<string, string>>): readonly string[] {
  const output = new CommandOutput(() => ({ path: '/dev/null', fd: openSync('/dev/null', 'w') }));
  onTestFinished(() => output.close());
  output.add(Buffer.from(content));
  const { parts } = shownOutput(output, withheld);
  return parts.map((part) => /^<[^>]*>\n([^]*)\n<[^>]*>$/u.exec(part)?.[1] ?? '');
}

/** Colors, which are left out, so that the answer shows where the kept bytes end. */
function colors(bytes: number): string {
  return '.'.repeat(bytes % 5) + '\u001b[31m'.repeat(Math.floor(bytes / 5));
}

const middle = 'x'.repeat(3 * KEPT_BYTES);
const token = 'ghp_0123456789abcdefghij';

test.each([
  ['a value', token],
  ['a value with colors in it', `ghp_01\u001b[0m23456789\u001b[1;31mabcde\u001b[Kfghij`],
  ['the longer one of two values', `${token}-more`],
])('of %s, nothing is shown where the kept bytes end', (_, written) => {
  const withheld = { API_TOKEN: token, LONG_TOKEN: `${token}-more` };
  for (let kept = 1; kept < written.length; kept++) {
    const before = colors(KEPT_BYTES - kept);
    const after = colors(KEPT_BYTES - kept);
    const [start = '', end = ''] = partsOf(`${before}${written}${middle}${written}${after}`, withheld);
    expect(start, `${kept} bytes at the end of the start`).toMatch(/^\.*$/u);
    expect(end, `${kept} bytes at the start of the end`).toMatch(/^\.*$/u);
  }
});

test('where the kept bytes end, everything that is not a value is shown', () => {
  const [start, end] = partsOf(`${colors(KEPT_BYTES - 5)}abcde${middle}12345${colors(KEPT_BYTES - 5)}`, { KEY: token });
  expect([start, end]).toEqual(['abcde', '12345']);
});
