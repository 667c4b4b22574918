import { spawn } from 'node:child_process';

const MAX_OUTPUT = 256 * 1024;

/** Returns an environment in which git runs no programs, asks nothing and fetches nothing, whatever the repository configures. */
function quietEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(own),
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

const SAFE = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '--no-replace-objects', '--no-pager'];

export interface GitOptions {
  readonly timeoutMs: number;
  readonly input?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a reading command of git in a git directory. It runs no hook, and fetches nothing.
 *
 * @returns its output; `undefined` if git is missing, fails, prints too much, or does not end in time.
 */
export function runGit(
  directory: string,
  args: readonly string[],
  { timeoutMs, input = '', signal }: GitOptions,
): Promise<string | undefined> {
  const limit = AbortSignal.timeout(timeoutMs);
  return new Promise((done) => {
    const child = spawn('git', [...SAFE, ...args], {
      cwd: directory,
      env: quietEnvironment(),
      stdio: ['pipe', 'pipe', 'ignore'],
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    const parts: Buffer[] = [];
    let length = 0;
    child.stdout.on('data', (part: Buffer) => {
      length += part.length;
      if (length > MAX_OUTPUT) child.kill('SIGKILL');
      else parts.push(part);
    });
    child.on('error', () => done(undefined));
    child.on('close', (code) => done(code === 0 ? Buffer.concat(parts).toString() : undefined));
    // git may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
