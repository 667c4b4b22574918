/** Runs `cargo test` and counts its results, however much the tests print, and even when the reader of the output goes away. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { createRustCounter } from './reports.mjs';

/** A failed property test prints its input, which can be hundreds of megabytes. The log file has all of it. */
const MAX_PRINTED_BYTES = 4 * 1024 * 1024;

/**
 * Runs a command, writes what cargo reported to `report` and everything that it printed to `log`.
 *
 * @param {object} options
 * @param {string} options.command
 * @param {string[]} options.args
 * @param {string} options.cwd
 * @param {string} options.report
 * @param {string} options.log
 * @param {import('node:stream').Writable} options.out where the output is shown; it may break
 * @param {number} [options.maxPrintedBytes]
 * @returns {Promise<number>} the exit code of the command
 */
export const runRustTests = async (options) => {
  const { command, args, cwd, report, log, out, maxPrintedBytes = MAX_PRINTED_BYTES } = options;
  mkdirSync(dirname(report), { recursive: true });
  const file = createWriteStream(log);
  // Neither a full disk nor a reader that went away changes what the tests found.
  file.on('error', () => undefined);
  out.on('error', () => undefined);
  const counter = createRustCounter();
  let printedBytes = 0;
  /** @param {Buffer} chunk */
  const print = (chunk) => {
    if (printedBytes > maxPrintedBytes) return;
    printedBytes += chunk.length;
    if (out.writable) out.write(chunk);
    if (printedBytes > maxPrintedBytes && out.writable) out.write(`\n[... the rest of the output is in ${log} ...]\n`);
  };
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = /** @type {Promise<[number | null]>} */ (once(child, 'close'));
  child.stderr.on('data', (/** @type {Buffer} */ chunk) => {
    print(chunk);
    file.write(chunk);
  });
  const decoder = new TextDecoder();
  for await (const data of child.stdout) {
    const chunk = /** @type {Buffer} */ (data);
    counter.add(decoder.decode(chunk, { stream: true }));
    print(chunk);
    // At the pace of the disk, so that memory stays bounded.
    if (!file.destroyed && !file.write(chunk)) await Promise.race([once(file, 'drain'), once(file, 'close')]);
  }
  const [code] = await ended;
  writeFileSync(report, JSON.stringify(counter.counts()));
  await new Promise((resolve) => (file.destroyed ? resolve(undefined) : file.end(resolve)));
  return code ?? 1;
};
