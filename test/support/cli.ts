import { type ChildProcess, fork, spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { cairnEntry } from './cli-entry.ts';
import type { HostAnswer, HostRequest } from './cli-host.ts';

export { cairnEntry };

// The sources are TypeScript; kept, their compilation takes two thirds off the start of each process.
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/cairn-compile', import.meta.url));

export interface CairnOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The text or bytes on its standard input; nothing by default. For `cairn` and `cairnProcess`. */
  readonly input?: string | Uint8Array | undefined;
  /** Runs as this user and group. */
  readonly uid?: number | undefined;
  /** A module that Node loads before the command, as a file URL. */
  readonly preload?: string | undefined;
}

export interface CairnResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What every run gets: nothing of the tester's colours, and no configuration of their git. */
export function cleanEnv(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    NODE_COMPILE_CACHE: compileCache,
    CAIRN_COMMAND: 'cairn',
    // Each run begins a session, whatever runs the tests.
    CI: 'true',
    ...more,
  };
}

/** Starts `cairn` with its streams piped. */
export function startCairn(args: readonly string[], options: CairnOptions = {}): ChildProcess {
  const preload = options.preload === undefined ? [] : ['--import', options.preload];
  return spawn(process.execPath, [...preload, cairnEntry, ...args], {
    cwd: options.cwd,
    env: cleanEnv(options.env),
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
}

/** Collects what a process writes until it has ended. */
export async function finished(child: ChildProcess): Promise<CairnResult> {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, ...texts }));
  });
}

/** Variables that the command reads when it runs. The addon and Node read others once, when they are loaded. */
const READ_PER_RUN =
  /^(?:CI|PATH|HOME|TMPDIR|XDG_\w+|NO_COLOR|FORCE_COLOR|TERM|CAIRN_COMMAND|CAIRN_REDIS_URL|CAIRN_BASE_URL|CAIRN_MODEL|CAIRN_API_KEY|CAIRN_DEBUG|CAIRN_KNOWLEDGE_\w+|EDITOR|VISUAL|NODE_COMPILE_CACHE)$/u;

const host = fileURLToPath(new URL('cli-host.ts', import.meta.url));
let running: ChildProcess | undefined;
let queue: Promise<unknown> = Promise.resolve();

async function ask(request: HostRequest): Promise<CairnResult> {
  running ??= fork(host, { env: cleanEnv(), serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const child = running;
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error(`the host of the command line ended during ${request.args.join(' ')}`));
    child.once('exit', fail);
    child.once('message', (answer: HostAnswer) => {
      child.off('exit', fail);
      resolve({ signal: null, ...answer });
    });
    child.send(request);
  });
}

afterAll(() => {
  running?.kill();
  running = undefined;
});

/**
 * Runs `cairn` to its end. The runs of a test file share one process, in sequence; a run as another user, with a
 * preload or with variables that are read at the start has a process of its own.
 */
export async function cairn(args: readonly string[], options: CairnOptions = {}): Promise<CairnResult> {
  const env = cleanEnv(options.env);
  // A server owns the streams of its process.
  const isServer = args[0] === 'mcp' && args[1] !== 'install';
  const needsProcess = isServer || options.uid !== undefined || options.preload !== undefined;
  if (needsProcess || !Object.keys(env).every((name) => READ_PER_RUN.test(name))) return cairnProcess(args, options);
  const input = options.input === undefined ? undefined : Buffer.from(options.input);
  const answer = queue.then(() => ask({ args, cwd: options.cwd ?? process.cwd(), env, input }));
  queue = answer.catch(() => undefined);
  return answer;
}

/** Returns the lines of an output. */
export function linesOf(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

/** Runs `cairn` to its end in a process of its own. */
export async function cairnProcess(args: readonly string[], options: CairnOptions = {}): Promise<CairnResult> {
  const child = startCairn(args, options);
  // A command that does not read it may be gone before it is written.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.input);
  return finished(child);
}
