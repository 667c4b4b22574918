import { expect, test } from 'vitest';

import { countRustTests, countVitestTests, sumRuns } from './reports.mjs';

test('sums the result lines of every test binary and ignores look-alikes', () => {
  const output = [
    'test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s',
    'a test printed: test result: ok. 99 passed; 0 failed;',
    'test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s',
  ].join('\n');
  expect(countRustTests(output)).toEqual({ passed: 15, failed: 2 });
});

test('a test file that does not load counts as one failure beside the failed tests', () => {
  const testResults = [
    { status: 'passed', assertionResults: [{ status: 'passed' }] },
    { status: 'failed', assertionResults: [{ status: 'passed' }, { status: 'failed' }] },
    { status: 'failed', assertionResults: [] },
  ];
  expect(countVitestTests({ numPassedTests: 2, numFailedTests: 1, testResults })).toEqual({ passed: 2, failed: 2 });
});

test.each([
  ['all passed', 0, { passed: 3, failed: 0 }, { passed: 3, failed: 0, reasons: [] }],
  ['a test failed', 101, { passed: 3, failed: 2 }, { passed: 3, failed: 2, reasons: ['Rust: 2 failed'] }],
  [
    'the runner failed without naming a test',
    101,
    { passed: 3, failed: 0 },
    { passed: 3, failed: 1, reasons: ['Rust: the runner ended with exit code 101'] },
  ],
  ['nothing ran', 0, { passed: 0, failed: 0 }, { passed: 0, failed: 1, reasons: ['Rust: no test ran'] }],
])('a run in which %s', (_reason, code, counts, expected) => {
  expect(sumRuns([{ name: 'Rust', code, counts }])).toEqual(expected);
});
