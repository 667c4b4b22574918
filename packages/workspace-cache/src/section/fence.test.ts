import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fenced } from './template.ts';

test('a text without backticks gets a fence of three', () => {
  expect(fenced('a\nb', 'yaml')).toBe('```yaml\na\nb\n```');
});

test('the fence is longer than any run of backticks in the text', () => {
  expect(fenced('a```b `````')).toBe('``````\na```b `````\n``````');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('`', 'a', '\n'), maxLength: 30 }), (text) => {
      const lines = fenced(text).split('\n');
      const fence = lines[0] ?? '';
      expect(fence).toMatch(/^`{3,}$/u);
      expect(lines.at(-1)).toBe(fence);
      expect(text).not.toContain(fence);
    }),
  );
});
