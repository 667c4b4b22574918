import { expect, test } from 'vitest';
import { formatLine, parseLine } from './lines.ts';
import type { IndexLine } from './lines.ts';

const asset: IndexLine = {
  name: 'redis-cluster-failover',
  type: 'reference',
  productLine: 'exchange/infra',
  title: 'Redis 集群故障转移指南',
  tags: ['redis', 'ha', 'ops'],
  isPromoted: true,
};

test('a line has the six fields of an asset in their order', () => {
  expect(formatLine(asset)).toBe(
    'redis-cluster-failover|reference|exchange/infra|Redis 集群故障转移指南|redis,ha,ops|1',
  );
  expect(formatLine({ ...asset, tags: [], isPromoted: false })).toBe(
    'redis-cluster-failover|reference|exchange/infra|Redis 集群故障转移指南||0',
  );
});

test.each([
  ['a separator of fields', 'a|b', 'a%7Cb'],
  ['a line break', 'a\nb', 'a%0Ab'],
  ['a line break of Windows', 'a\r\nb', 'a%0D%0Ab'],
  ['a separator of tags', 'a, b', 'a%2C b'],
  ['a percent sign', '100% of %7C', '100%25 of %257C'],
  ['a tab', 'a\tb', 'a%09b'],
  ['a control character', 'a\u{1b}[2Jb', 'a%1B[2Jb'],
  ['a mark that turns text', 'a\u{202e}b', 'a%E2%80%AEb'],
  ['a separator of lines that only some programs know', 'a\u{2028}b\u{85}c', 'a%E2%80%A8b%C2%85c'],
  ['the mark that ends the index', '<!-- INDEX_END -->', '%3C!-- INDEX_END -->'],
  ['a joined emoji', '👨‍👩‍👧 ❤️', '👨‍👩‍👧 ❤️'],
  ['other signs', `a < b > c & "d" 'e' \`f\` \\ # ;`, `a < b > c & "d" 'e' \`f\` \\ # ;`],
])('%s in a title and in a tag is written so that the line parses back', (_name, text, written) => {
  const line = formatLine({ ...asset, title: text, tags: [text, 'b'] });
  expect(line).toBe(`redis-cluster-failover|reference|exchange/infra|${written}|${written},b|1`);
  expect(parseLine(line)).toEqual({ ...asset, title: text, tags: [text, 'b'] });
});

test.each([
  ['nothing', ''],
  ['a mark of the index', '<!-- INDEX_START -->'],
  ['five fields', 'a|pitfall|b|c|d'],
  ['seven fields', 'a|pitfall|b|c|d|1|2'],
  ['another type', 'a|note|b|c|d|1'],
  ['another last field', 'a|pitfall|b|c|d|yes'],
  ['no name', '|pitfall|b|c|d|1'],
])('%s is not a line of the index', (_name, line) => {
  expect(parseLine(line)).toBeUndefined();
});
