/** Child processes that leave nothing behind. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { stripVTControlCharacters } from 'node:util';

import { keepOutput } from './kept-output.mjs';
import { startProgress } from './progress.mjs';

/** @type {NodeJS.Signals[]} */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Of one piece of output, the part in which the last line is searched for. */
const MAX_DETAIL_LENGTH = 1000;
const isWindows = process.platform === 'win32';

/**
 * Takes the exit code a shell would report.
 *
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
const exitCode = (code, signal) => code ?? 128 + (signal === null ? 0 : constants.signals[signal]);

/**
 * @typedef {object} Command
 * @property {string} command
 * @property {string[]} args
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} env
 */

/**
 * Runs a command on the user's own terminal. Ctrl-C reaches it through the terminal; other signals are passed on.
 *
 * @param {Command} options
 * @returns {Promise<number>} the exit code
 */
export const runAttached = ({ command, args, cwd, env }) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' });
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of stopSignals) process.on(signal, forward);
    const release = () => {
      for (const signal of stopSignals) process.off(signal, forward);
    };
    child.on('error', (error) => {
      release();
      reject(error);
    });
    child.on('exit', (code, signal) => {
      release();
      resolve(exitCode(code, signal));
    });
  });

/**
 * @typedef {object} StepResult
 * @property {number} code
 * @property {string} output The beginning and the end when it is long.
 */

/**
 * Runs a long command and shows a progress line. The command has a process group of its own, so that stopping this
 * script stops everything below it.
 *
 * @param {Command & { title: string, done: string, echo?: boolean }} options `echo` shows the output as it comes;
 *   otherwise it is shown only after a failure.
 * @returns {Promise<StepResult>}
 */
export const runStep = ({ command, args, cwd, env, title, done, echo = false }) =>
  new Promise((resolve, reject) => {
    const progress = startProgress(title, { plain: echo });
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: !isWindows,
      shell: isWindows && !command.endsWith('.exe'),
    });
    const output = keepOutput();
    /** @param {string} text */
    const take = (text) => {
      output.add(text);
      if (echo) process.stderr.write(text);
      const line = stripVTControlCharacters(text.slice(-MAX_DETAIL_LENGTH))
        .trimEnd()
        .split(/[\r\n]/)
        .pop()
        ?.trim();
      if (line) progress.update(line);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take);
    /** @param {NodeJS.Signals} signal */
    const stop = (signal) => {
      progress.end(`${title}: stopped`);
      if (isWindows || child.pid === undefined) child.kill();
      else process.kill(-child.pid, 'SIGTERM');
      process.exit(exitCode(null, signal));
    };
    for (const signal of stopSignals) process.on(signal, stop);
    const release = () => {
      for (const signal of stopSignals) process.off(signal, stop);
    };
    child.on('error', (error) => {
      release();
      progress.end(`${title}: failed`);
      reject(error);
    });
    child.on('close', (closeCode, signal) => {
      release();
      const code = exitCode(closeCode, signal);
      progress.end(code === 0 ? done : `${title}: failed with exit code ${code}`);
      if (code !== 0 && !echo) process.stderr.write(output.text());
      resolve({ code, output: output.text() });
    });
  });
