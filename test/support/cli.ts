import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';

// Each of these tests starts processes, some a dozen; on a busy machine that takes longer than a unit test may.
vi.setConfig({ testTimeout: 120_000 });

/** The file that `cairn` runs. */
export const cairnEntry: string = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

// The sources are TypeScript; kept, their compilation takes two thirds off the start of each process.
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/cairn-compile', import.meta.url));

export interface CairnOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
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
  return { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', NODE_COMPILE_CACHE: compileCache, ...more };
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

/** Runs `cairn` to its end. */
export async function cairn(args: readonly string[], options: CairnOptions = {}): Promise<CairnResult> {
  const child = startCairn(args, options);
  child.stdin?.end();
  return finished(child);
}
