import { ToolError } from '@cairn/tool';
import { errnoOf, explainSystemError } from '@cairn/tool/internal';
import { quotePath } from '@cairn/tool/paths';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, closeSync, constants } from 'node:fs';
import { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { atExit } from './at-exit.ts';
import type { CommandOutput } from './command-output.ts';
import type { Pipe } from './named-pipe.ts';
import { endGroup, signalGroup } from './process-group.ts';
import { until } from './until.ts';

/** A command, as the user or the rule that approves it sees it. */
export interface ShellCommand {
  readonly command: string;
  /** The root of the workspace, canonical. */
  readonly cwd: string;
  /** The program that runs the command, with `-c`. A command that begins like an option gets a space in front. */
  readonly shell: string;
  readonly timeoutMs: number;
}

export interface RunOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the command; its end for writing is closed here. */
  readonly pipe: Pipe;
  readonly output: CommandOutput;
  /** Ends the command. */
  readonly signal: AbortSignal;
  /** Default: Node's own. */
  readonly start?: typeof spawn | undefined;
}

/** How a command ended. */
export interface CommandEnd {
  /** Absent after a signal, and for a command that could not be ended. */
  readonly exitCode: number | undefined;
  /** The signal that ended the shell. */
  readonly signal: string | undefined;
  readonly timedOut: boolean;
  /** Whether the abort ended it. */
  readonly aborted: boolean;
  readonly durationMs: number;
  /** Reads what processes that the command left behind still write; absent when none of them holds the output. */
  readonly held: Socket | undefined;
}

/** How long a command may take to end after SIGKILL, such as one that waits for a disk. */
const KILL_WAIT_MS = 5000;

/** How long the end of the output is waited for after the end of the command: until it is silent, and at most. */
const SILENCE_MS = 200;
const DRAIN_MS = 2000;
const DRAIN_STEP_MS = 50;

const NO_RESOURCES: readonly (string | undefined)[] = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'];

/** Returns the error for a process that the system has no room for; `undefined` for another error. */
export function explainResources(error: unknown): ToolError | undefined {
  const code = errnoOf(error);
  if (!NO_RESOURCES.includes(code)) return undefined;
  const summary = `The system cannot start another process (${code})`;
  return new ToolError('IO', [summary, 'Try again when other commands have ended.'], { cause: error });
}

/** Returns the error for a shell that did not start. */
function explainStart(error: unknown, { cwd, shell }: ShellCommand): unknown {
  const code = errnoOf(error);
  if (code === 'E2BIG') {
    const summary = 'The command, with the environment, is longer than the system accepts';
    return new ToolError('TOO_LARGE', [summary, 'Write it to a file, then run that file.'], { cause: error });
  }
  const resources = explainResources(error);
  if (resources) return resources;
  try {
    // The system does not tell which of both it could not use.
    accessSync(cwd, constants.X_OK);
  } catch (rootError) {
    return explainSystemError(rootError, `The root ${quotePath(cwd)}`);
  }
  return explainSystemError(error, `The shell ${quotePath(shell)}`);
}

async function startShell(
  asked: ShellCommand,
  { env, pipe, signal, start = spawn }: RunOptions,
): Promise<ChildProcess> {
  const { command, cwd, shell } = asked;
  try {
    signal.throwIfAborted();
    // In a session of its own, a command has no terminal on which to ask, and its group can be ended as a whole.
    const stdio = ['ignore' as const, pipe.write, pipe.write];
    // Shells agree on no other way to keep `-x` from being an option: `fish -c -- x` runs `--`.
    const argument = /^[-+]/u.test(command) ? ` ${command}` : command;
    const child = start(shell, ['-c', argument], { cwd, env, stdio, detached: true });
    await once(child, 'spawn');
    return child;
  } catch (error) {
    signal.throwIfAborted();
    throw explainStart(error, asked);
  } finally {
    closeSync(pipe.write);
  }
}

/** Waits until all output is read. Returns false when a process still holds the output after the end of the command. */
async function isDrained(reader: Socket, output: CommandOutput, closed: Promise<unknown>): Promise<boolean> {
  const deadlineMs = performance.now() + DRAIN_MS;
  let silentMs = 0;
  // At least for as many steps as show a silence: on a busy machine, each of them may take long.
  for (let stepsMs = 0; stepsMs < SILENCE_MS || performance.now() < deadlineMs; stepsMs += DRAIN_STEP_MS) {
    const before = output.bytes;
    await Promise.race([closed, delay(DRAIN_STEP_MS, undefined, { ref: false })]);
    // All that was ready has been read then, however busy this process is.
    await nextTurn();
    if (reader.closed) return true;
    silentMs = output.bytes === before ? silentMs + DRAIN_STEP_MS : 0;
    if (silentMs >= SILENCE_MS) return false;
  }
  return false;
}

/**
 * Runs a command in a process group of its own, without input. Its output, of both kinds in their order, goes to `output`. After the
 * time limit or an abort, the group is ended before this settles. A process that left the group is not ended.
 *
 * @throws {ToolError} when the command did not start. @throws the reason of an abort before the start.
 */
export async function runCommand(command: ShellCommand, options: RunOptions): Promise<CommandEnd> {
  const { pipe, output, signal } = options;
  const reader = new Socket({ fd: pipe.read, readable: true, writable: false });
  const closed = new Promise((resolve) => void reader.once('close', resolve));
  reader.on('data', (chunk: Buffer) => output.add(chunk));
  reader.on('error', () => undefined);
  let child: ChildProcess;
  const startedMs = performance.now();
  try {
    child = await startShell(command, options);
  } catch (error) {
    reader.destroy();
    throw error;
  }
  // It has one after `spawn`.
  const group = child.pid as number;
  let end: readonly [code: number | null, signal: string | null] | undefined;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (...how) => {
      end = how;
      resolve();
    });
  });
  const noteEnd = atExit('kill', () => void signalGroup(group, 'SIGKILL'));
  const limit = AbortSignal.timeout(command.timeoutMs);
  await until(exited, AbortSignal.any([limit, signal])).catch(() => undefined);
  const isStopped = end === undefined;
  if (isStopped) {
    await endGroup(group);
    await Promise.race([exited, delay(KILL_WAIT_MS, undefined, { ref: false })]);
  }
  noteEnd();
  const durationMs = performance.now() - startedMs;
  const held = (await isDrained(reader, output, closed)) ? undefined : reader;
  // This process may end before the process that holds the output.
  held?.unref();
  return {
    exitCode: end?.[0] ?? undefined,
    signal: end?.[1] ?? undefined,
    timedOut: isStopped && !signal.aborted,
    aborted: isStopped && signal.aborted,
    durationMs,
    held,
  };
}
