/** Reads the runners' own reports. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { reportsDirectory } from './paths.mjs';

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} [failures] What failed, a line each, if the report names it.
 */

/** Longer than any line that counts. */
const MAX_LINE_LENGTH = 300;

/**
 * Sums the `test result:` lines; cargo prints one for each test binary. Holds one line at a time.
 *
 * @returns {{ add: (text: string) => void, counts: () => Counts }}
 */
export const createRustCounter = () => {
  const counts = { passed: 0, failed: 0 };
  let line = '';
  const endLine = () => {
    const [, passed, failed] = /^test result: \w+\. (\d+) passed; (\d+) failed;/.exec(line) ?? [];
    counts.passed += Number(passed ?? 0);
    counts.failed += Number(failed ?? 0);
    line = '';
  };
  return {
    add: (text) => {
      let start = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        line += text.slice(start, Math.min(end, start + MAX_LINE_LENGTH));
        endLine();
        start = end + 1;
      }
      if (line.length < MAX_LINE_LENGTH) line += text.slice(start, start + MAX_LINE_LENGTH);
    },
    counts: () => {
      endLine();
      return { ...counts };
    },
  };
};

/**
 * The part of vitest's JSON report that is read here.
 *
 * @typedef {object} VitestReport
 * @property {number} numPassedTests
 * @property {TestFile[]} testResults
 */

/**
 * @typedef {object} TestFile
 * @property {string} name
 * @property {string} status
 * @property {string} [message]
 * @property {{ status: string, fullName?: string, failureMessages?: string[] }[]} assertionResults
 */

/**
 * @param {TestFile} file
 * @returns {string[]}
 */
const describeFailures = ({ name, status, message, assertionResults }) => {
  const failed = assertionResults.filter((assertion) => assertion.status === 'failed');
  // A file that cannot be loaded has failed without a failed test.
  const failures =
    failed.length === 0 && status === 'failed' ? [{ fullName: undefined, failureMessages: [message ?? ''] }] : failed;
  return failures.map(({ fullName, failureMessages }) =>
    [basename(name), fullName, failureMessages?.[0]?.split('\n', 1)[0]?.slice(0, MAX_LINE_LENGTH)]
      .filter(Boolean)
      .join(' > '),
  );
};

/**
 * @param {VitestReport} report
 * @returns {Counts}
 */
export const countVitestTests = ({ numPassedTests, testResults }) => {
  const failures = testResults.flatMap(describeFailures);
  return { passed: numPassedTests, failed: failures.length, failures };
};

/**
 * @template T
 * @param {string} name
 * @returns {T | undefined} `undefined` when the runner wrote no report, or half of one
 */
const readReport = (name) => {
  try {
    return JSON.parse(readFileSync(join(reportsDirectory, name), 'utf8'));
  } catch {
    return undefined;
  }
};

/** @returns {Counts | undefined} */
export const readRustReport = () => readReport('rust.json');

/** @returns {Counts | undefined} */
export const readVitestReport = () => {
  /** @type {VitestReport | undefined} */
  const report = readReport('vitest.json');
  return report === undefined ? undefined : countVitestTests(report);
};

/**
 * @typedef {object} SuiteRun
 * @property {string} name
 * @property {number} code The exit code of the runner.
 * @property {Counts | undefined} counts `undefined` when there is no report.
 */

/**
 * Decides the result of a run. A runner that failed, or that ran nothing, counts as one failure even when its report
 * names none: a compile error has no failed test, and zero tests prove nothing.
 *
 * @param {readonly SuiteRun[]} runs
 * @returns {Counts & { reasons: string[] }}
 */
export const sumRuns = (runs) => {
  const total = { passed: 0, failed: 0, reasons: /** @type {string[]} */ ([]) };
  for (const { name, code, counts } of runs) {
    total.passed += counts?.passed ?? 0;
    total.failed += counts?.failed ?? 0;
    const ending = code === 0 ? '' : `; the runner ended with exit code ${code}`;
    if (counts !== undefined && counts.failed > 0) {
      total.reasons.push(...(counts.failures ?? []).map((failure) => `${name}: ${failure}`));
      total.reasons.push(`${name}: ${counts.failed} failed`);
    } else if (counts === undefined || counts.passed === 0) {
      total.failed += 1;
      total.reasons.push(`${name}: ${counts === undefined ? 'the runner wrote no report' : 'no test ran'}${ending}`);
    } else if (code !== 0) {
      total.failed += 1;
      total.reasons.push(`${name}: no test failed${ending}`);
    }
  }
  return total;
};

/** @param {SuiteRun} run */
export const describeRun = ({ name, counts }) =>
  counts === undefined ? `${name}: no report` : `${name}: ${counts.passed} passed, ${counts.failed} failed`;
