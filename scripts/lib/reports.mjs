/** Reads the runners' own reports. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { reportsDirectory } from './paths.mjs';

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 */

/**
 * Sums the `test result:` lines, of which cargo prints one for each test binary.
 *
 * @param {string} output what `cargo test` wrote to stdout
 * @returns {Counts}
 */
export const countRustTests = (output) => {
  const counts = { passed: 0, failed: 0 };
  for (const [, passed, failed] of output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm)) {
    counts.passed += Number(passed);
    counts.failed += Number(failed);
  }
  return counts;
};

/**
 * The part of vitest's JSON report that is read here.
 *
 * @typedef {object} VitestReport
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {{ status: string, assertionResults: { status: string }[] }[]} testResults one for each file
 */

/**
 * @param {VitestReport} report
 * @returns {Counts}
 */
export const countVitestTests = ({ numPassedTests, numFailedTests, testResults }) => {
  // A file that cannot be loaded has failed without a failed test.
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed'),
  );
  return { passed: numPassedTests, failed: numFailedTests + brokenFiles.length };
};

/**
 * @template T
 * @param {string} name
 * @returns {T | undefined}
 */
const readReport = (name) => {
  const file = join(reportsDirectory, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
};

/** @returns {Counts} */
export const readRustReport = () => readReport('rust.json') ?? { passed: 0, failed: 0 };

/** @returns {Counts} */
export const readVitestReport = () => {
  /** @type {VitestReport | undefined} */
  const report = readReport('vitest.json');
  return report === undefined ? { passed: 0, failed: 0 } : countVitestTests(report);
};

/**
 * Decides what a run amounts to. A runner that failed, or that ran nothing, counts as one failure even when its report
 * names none: a compile error has no failed test, and zero tests prove nothing.
 *
 * @param {{ name: string, code: number, counts: Counts }[]} runs
 * @returns {Counts & { reasons: string[] }}
 */
export const sumRuns = (runs) => {
  const total = { passed: 0, failed: 0, reasons: /** @type {string[]} */ ([]) };
  for (const { name, code, counts } of runs) {
    total.passed += counts.passed;
    total.failed += counts.failed;
    if (counts.failed > 0) {
      total.reasons.push(`${name}: ${counts.failed} failed`);
    } else if (code !== 0) {
      total.failed += 1;
      total.reasons.push(`${name}: the runner ended with exit code ${code}`);
    } else if (counts.passed === 0) {
      total.failed += 1;
      total.reasons.push(`${name}: no test ran`);
    }
  }
  return total;
};
