/** How git is run: with argument arrays, without hooks, prompts and configuration that starts programs. */
import { escapeControls } from '@cairn/tool/paths';
import { Buffer } from 'node:buffer';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { KnowledgeError } from '../errors.ts';
import { remoteFailure, withoutCredentials } from './remote-failure.ts';

/** The variables by which a user configures git itself. All others that start with `GIT_` may name another repository. */
const ALLOWED_VARIABLE =
  /^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|HTTP_\w+|PROXY_\w+|EXEC_PATH|(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL))$/u;

/** Configuration of the clone must start no program, and nothing may go on in the background. */
const SAFE_OPTIONS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'gc.auto=0',
  'maintenance.auto=false',
  'push.gpgSign=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'fetch.writeCommitGraph=false',
  'i18n.commitEncoding=UTF-8',
].flatMap((option) => ['-c', option]);

/** The protocols of remotes. `ext` would run any command. */
const PROTOCOLS = 'file:git:http:https:ssh';

const LOCAL_TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;

export interface GitOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The time limit of a command that asks the remote. */
  readonly remoteTimeoutMs: number;
  /** Ends the commands. */
  readonly signal: AbortSignal | undefined;
}

interface GitCall {
  readonly input?: string | Uint8Array | undefined;
  readonly accepts?: readonly number[] | undefined;
  /** Whether the command asks the remote. @default false */
  readonly isRemote?: boolean | undefined;
}

interface GitOutput {
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Returns the environment of git. Its messages are in English, so that they can be recognized. */
function gitEnvironment({ directory, env }: GitOptions): GitOptions['env'] {
  const own = Object.entries(env).filter(([name]) => !/^GIT_/iu.test(name) || ALLOWED_VARIABLE.test(name));
  return {
    ...Object.fromEntries(own),
    GIT_DIR: directory,
    GIT_ALLOW_PROTOCOL: PROTOCOLS,
    GIT_TERMINAL_PROMPT: '0',
    // An empty value is set, so git asks neither the configured program nor SSH_ASKPASS.
    GIT_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_DEFAULT_REF_FORMAT: 'files',
    LC_ALL: 'C',
    LANGUAGE: undefined,
  };
}

/** Ends a command with the programs that it started, such as ssh. */
function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It has ended.
  }
}

async function run(
  args: readonly string[],
  { env, input, signal }: Pick<GitCall, 'input'> & Pick<GitOptions, 'env'> & { readonly signal: AbortSignal },
): Promise<GitOutput> {
  signal.throwIfAborted();
  // In a session of its own, git and ssh have no terminal on which to ask.
  const child = spawn('git', args, {
    env,
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const abort = (): void => kill(child);
  signal.addEventListener('abort', abort, { once: true });
  const chunks: Buffer[] = [];
  const errors: Buffer[] = [];
  let bytes = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > MAX_OUTPUT_BYTES) kill(child);
    else chunks.push(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    if (errors.length < 1000) errors.push(chunk);
  });
  // After an abort nothing waits for it.
  child.on('error', () => undefined);
  // Git may end before it read everything; its status has the reason.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  try {
    const [code] = (await once(child, 'close', { signal })) as [number | null];
    return { status: code ?? -1, stdout: Buffer.concat(chunks), stderr: Buffer.concat(errors).toString() };
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Returns the message of a command, on one line and without credentials. */
export function reasonOf({ stderr, status }: GitOutput): string {
  const lines = stderr.split(/[\r\n]+/u).filter((line) => /^(?:fatal|error|remote):\s*\S/u.test(line));
  const text = lines
    .filter((line, index) => lines.indexOf(line) === index)
    .slice(0, 4)
    .map((line) => line.trim())
    .join('; ');
  return text === '' ? `exit status ${status}` : escapeControls(withoutCredentials(text)).slice(0, 400);
}

/** What git reports of a repository that lost parts of itself. */
const DAMAGE =
  /not (?:a git repository|in a git directory)|No such ref: HEAD|bad object|bad tree|corrupt|unable to (?:read|find|parse) |missing (?:blob|tree|object)|object file .* is empty|invalid (?:object|sha1 pointer)|bad config/iu;

function timeoutOf(command: string, timeoutMs: number, isRemote: boolean): KnowledgeError {
  const seconds = Math.round(timeoutMs / 1000);
  if (!isRemote)
    return new KnowledgeError('GIT_FAILED', [`git ${command} did not end within ${seconds} s`, 'Repeat the command.']);
  const summary = `The remote of the team did not answer within ${seconds} s (git ${command})`;
  const hint = 'Check the network, then repeat the command. Nothing was lost.';
  return new KnowledgeError('REMOTE_FAILED', [summary, hint]);
}

/** What git reports of its own files, and what the user can do. */
const failures: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/no space left|disk quota/iu, 'Free space on the disk, then repeat the command.'],
  [
    /\.lock': File exists/u,
    'Wait until the other git process ends; if none runs, delete the lock file that git names.',
  ],
];

function localFailure(command: string, output: GitOutput, directory: string): KnowledgeError {
  const known = failures.find(([pattern]) => pattern.test(output.stderr))?.[1];
  const isDamaged = known === undefined && DAMAGE.test(output.stderr);
  const again = `The clone is damaged: delete ${directory}, then repeat the command. It is made again, and no asset is lost.`;
  const hint = known ?? (isDamaged ? again : 'Nothing of the assets was lost; correct it, then repeat.');
  const facts = isDamaged ? { path: directory } : {};
  return new KnowledgeError('GIT_FAILED', [`git ${command} failed: ${reasonOf(output)}`, hint], facts);
}

/** Runs git in one repository, and never in one that the current directory or the environment names. */
export class Git {
  readonly directory: string;
  readonly #options: GitOptions;
  readonly #env: GitOptions['env'];

  constructor(options: GitOptions) {
    this.directory = options.directory;
    this.#options = options;
    this.#env = gitEnvironment(options);
  }

  /** @throws {KnowledgeError} `GIT_FAILED`, `REMOTE_FAILED`. */
  async run(args: readonly string[], { input, accepts = [0], isRemote = false }: GitCall = {}): Promise<GitOutput> {
    const { directory, remoteTimeoutMs, signal } = this.#options;
    const timeoutMs = isRemote ? remoteTimeoutMs : LOCAL_TIMEOUT_MS;
    const command = args.find((arg) => !arg.startsWith('-')) ?? '';
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    let output: GitOutput;
    try {
      output = await run([...SAFE_OPTIONS, ...args], { env: this.#env, input, signal: either });
    } catch (error) {
      signal?.throwIfAborted();
      if (timeout.aborted) throw timeoutOf(command, timeoutMs, isRemote);
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      const summary = isMissing ? 'git is not installed, or not in PATH' : `git cannot be started: ${String(error)}`;
      throw new KnowledgeError('GIT_FAILED', [summary, 'Install git 2.30 or newer.'], { cause: error });
    }
    if (accepts.includes(output.status)) return output;
    throw isRemote ? remoteFailure(output.stderr, reasonOf(output)) : localFailure(command, output, directory);
  }

  async read(args: readonly string[], call?: GitCall): Promise<string> {
    const { stdout } = await this.run(args, call);
    return stdout.toString().trim();
  }
}
