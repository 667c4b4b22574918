import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';

import { runRustTests } from './rust-tests.mjs';

const result = 'test result: ok. 7 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s';

/**
 * Runs a script of Node in the place of cargo.
 *
 * @param {string} script
 * @param {{ out: Writable, maxPrintedBytes?: number }} options
 */
const run = async (script, options) => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-rust-tests-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const [report, log] = [join(directory, 'reports/rust.json'), join(directory, 'reports/rust.log')];
  const args = ['--eval', script];
  const code = await runRustTests({ command: process.execPath, args, cwd: directory, report, log, ...options });
  return { code, counts: JSON.parse(readFileSync(report, 'utf8')), logBytes: statSync(log).size };
};

/** A script that prints as many megabytes and a result, and ends with an exit code. */
const flood = (/** @type {number} */ megabytes, exitCode = 0) => `
  const { writeSync } = require('node:fs');
  const write = (text) => { for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(1, rest)); };
  const piece = 'x'.repeat(1024 * 1024);
  for (let index = 0; index < ${megabytes}; index++) write(piece);
  write('\\n${result}\\n');
  process.exitCode = ${exitCode};
`;

test('counts what a flood of hundreds of megabytes ends with, prints its beginning and keeps all of it', async () => {
  const out = new PassThrough();
  let printed = 0;
  out.on('data', (/** @type {Buffer} */ chunk) => (printed += chunk.length));
  const { code, counts, logBytes } = await run(flood(300, 101), { out, maxPrintedBytes: 1024 * 1024 });
  expect({ code, counts }).toEqual({ code: 101, counts: { passed: 7, failed: 1 } });
  expect(logBytes).toBeGreaterThan(300 * 1024 * 1024);
  expect(printed).toBeGreaterThan(1024 * 1024);
  expect(printed).toBeLessThan(2 * 1024 * 1024);
});

test('a reader that goes away changes nothing', async () => {
  const out = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  });
  expect(await run(flood(2), { out })).toMatchObject({ code: 0, counts: { passed: 7, failed: 1 } });
});

test('a runner that prints nothing reports that no test ran', async () => {
  const { code, counts } = await run('process.exitCode = 3', { out: new PassThrough() });
  expect({ code, counts }).toEqual({ code: 3, counts: { passed: 0, failed: 0 } });
});
