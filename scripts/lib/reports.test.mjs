import { expect, test } from 'vitest';

import { countVitestTests, createRustCounter, describeRun, sumRuns } from './reports.mjs';

/** @param {readonly string[]} pieces */
const count = (pieces) => {
  const counter = createRustCounter();
  for (const piece of pieces) counter.add(piece);
  return counter.counts();
};

const cargo = [
  'test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s',
  'a test printed: test result: ok. 99 passed; 0 failed;',
  'test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s',
].join('\n');

test.each([
  ['at once', [cargo]],
  ['character by character', [...cargo]],
  ['next to lines without end', ['x'.repeat(10_000), 'y'.repeat(10_000), `\n${cargo}\n`, 'z'.repeat(10_000)]],
])('sums the result lines of every test binary that come %s', (_reason, pieces) => {
  expect(count(pieces)).toEqual({ passed: 15, failed: 2 });
});

test('a result in the middle of a long line is not counted', () => {
  expect(count(['x'.repeat(400), 'test result: ok. 9 passed; 0 failed;\n'])).toEqual({ passed: 0, failed: 0 });
});

test('each failed test is named, and a test file that does not load counts as one', () => {
  const failed = { status: 'failed', fullName: 'a list ends', failureMessages: ['Error: no\n    at list.ts:1'] };
  const testResults = [
    { name: '/a/ok.test.ts', status: 'passed', assertionResults: [{ status: 'passed' }] },
    { name: '/a/list.test.ts', status: 'failed', assertionResults: [{ status: 'passed' }, failed] },
    { name: '/a/broken.test.ts', status: 'failed', message: 'SyntaxError', assertionResults: [] },
  ];
  const counts = countVitestTests({ numPassedTests: 2, testResults });
  const failures = ['list.test.ts > a list ends > Error: no', 'broken.test.ts > SyntaxError'];
  expect(counts).toEqual({ passed: 2, failed: 2, failures });
  expect(sumRuns([{ name: 'TypeScript', code: 1, counts }]).reasons).toEqual([
    ...failures.map((failure) => `TypeScript: ${failure}`),
    'TypeScript: 2 failed',
  ]);
});

test.each([
  ['all passed', 0, { passed: 3, failed: 0 }, { passed: 3, failed: 0, reasons: [] }],
  ['a test failed', 101, { passed: 3, failed: 2 }, { passed: 3, failed: 2, reasons: ['Rust: 2 failed'] }],
  [
    'the runner failed without naming a test',
    101,
    { passed: 3, failed: 0 },
    { passed: 3, failed: 1, reasons: ['Rust: no test failed; the runner ended with exit code 101'] },
  ],
  ['nothing ran', 0, { passed: 0, failed: 0 }, { passed: 0, failed: 1, reasons: ['Rust: no test ran'] }],
  [
    'nothing ran because the runner failed',
    101,
    { passed: 0, failed: 0 },
    { passed: 0, failed: 1, reasons: ['Rust: no test ran; the runner ended with exit code 101'] },
  ],
  ['there is no report', 0, undefined, { passed: 0, failed: 1, reasons: ['Rust: the runner wrote no report'] }],
])('a run in which %s', (_reason, code, counts, expected) => {
  expect(sumRuns([{ name: 'Rust', code, counts }])).toEqual(expected);
});

test('a run is described by its counts, or by the report that is missing', () => {
  expect(describeRun({ name: 'Rust', code: 0, counts: { passed: 3, failed: 1 } })).toBe('Rust: 3 passed, 1 failed');
  expect(describeRun({ name: 'Rust', code: 1, counts: undefined })).toBe('Rust: no report');
});
