import { spawnSync } from 'node:child_process';
import { rgPath } from '@vscode/ripgrep';

export interface ToolResult {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A listing of `node_modules` is larger than the default of 1 MiB. */
const maxBufferBytes = 1024 ** 3;

function run(command: string, args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }): ToolResult {
  const result = spawnSync(command, args, { ...options, maxBuffer: maxBufferBytes, stdio: ['ignore', 'pipe', 'pipe'] });
  if (result.error !== undefined) throw new Error(`cannot run ${command}`, { cause: result.error });
  return { exitCode: result.status, stdout: result.stdout, stderr: result.stderr.toString() };
}

/** Nobody's configuration: what a tool answers must not depend on who runs the test. */
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

/** Runs the pinned ripgrep, without anybody's configuration. It exits with 0 on a hit, 1 on none and 2 on an error. */
export function ripgrep(args: readonly string[], cwd: string): ToolResult {
  return run(rgPath, ['--no-config', ...args], { cwd, env: neutralEnv });
}

/** Runs git, without anybody's configuration, and throws when it fails. */
export function git(args: readonly string[], cwd: string): Buffer {
  const { exitCode, stdout, stderr } = run('git', args, { cwd, env: neutralEnv });
  if (exitCode !== 0) throw new Error(`git ${args.join(' ')} ended with exit code ${exitCode}: ${stderr}`);
  return stdout;
}

/** Splits the output of `--null`, `-0` or `-z` into names. Names that are not valid UTF-8 come lossily. */
export function splitNames(output: Buffer): string[] {
  return output.toString().split('\0').slice(0, -1);
}
