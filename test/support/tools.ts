import { spawnSync } from 'node:child_process';
import { rgPath } from '@vscode/ripgrep';

export interface ToolResult {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A listing of `node_modules` is larger than the default of 1 MiB. */
const maxBufferBytes = 1024 ** 3;

/** No run takes nearly as long. */
const timeoutMs = 120_000;

export interface ToolOptions {
  /** Next to or instead of the neutral environment. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** What the tool reads from its standard input; nothing by default. */
  readonly input?: Uint8Array | undefined;
}

function run(command: string, args: readonly string[], cwd: string, options: ToolOptions): ToolResult {
  const result = spawnSync(command, args, {
    cwd,
    env: { ...neutralEnv, ...options.env },
    maxBuffer: maxBufferBytes,
    timeout: timeoutMs,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...(options.input !== undefined && { input: options.input }),
  });
  if (result.error !== undefined) throw new Error(`cannot run ${command}`, { cause: result.error });
  return { exitCode: result.status, stdout: result.stdout, stderr: result.stderr.toString() };
}

/** No configuration of the user: what a tool answers must not depend on who runs the test. */
const neutralEnv: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  XDG_CONFIG_HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
};

/** Runs the pinned ripgrep, without the user's configuration. It exits with 0 on a hit, 1 on none and 2 on an error. */
export function ripgrep(args: readonly string[], cwd: string, options: ToolOptions = {}): ToolResult {
  return run(rgPath, ['--no-config', ...args], cwd, options);
}

/** Runs git, without the user's configuration, and throws when it exits with another code than 0 or one of `codes`. */
export function git(
  args: readonly string[],
  cwd: string,
  options: ToolOptions & { readonly codes?: readonly number[] } = {},
): Buffer {
  const { exitCode, stdout, stderr } = run('git', args, cwd, options);
  if (exitCode !== 0 && !options.codes?.some((code) => code === exitCode)) {
    throw new Error(`git ${args.join(' ')} ended with exit code ${exitCode}: ${stderr}`);
  }
  return stdout;
}

/** Splits the output of `--null`, `-0` or `-z` into names. Names that are not valid UTF-8 come lossily. */
export function splitNames(output: Buffer): string[] {
  return output.toString().split('\0').slice(0, -1);
}
