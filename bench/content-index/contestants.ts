/** The contestants: Cairn in three processes, ripgrep, and fff. */
import { fork, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { neutralEnvironment } from '../lib/environment.ts';
import { askChild } from '../lib/messages.ts';
import { loadPeer } from '../lib/peers.ts';
import type { Build, Found, Mode, Query, Request, Timed } from './protocol.ts';

/** `full` has the cached list of files, but no index. */
export const contestantNames = ['validated', 'watched', 'full', 'rg', 'fff'] as const;
export type ContestantName = (typeof contestantNames)[number];

export interface Contestant {
  readonly name: ContestantName;
  time(query: Query, mode: Mode): Promise<Timed>;
  list(query: Query, mode: Mode): Promise<Found>;
  close(): void;
}

/** A contestant whose process answers many queries. */
export interface Process extends Contestant {
  /** Builds the index, if the contestant has one. */
  prepare(): Promise<Build>;
  /** Returns the milliseconds of processor time of one call. */
  work(query: Query, mode: Mode): Promise<number>;
}

/** Small trees get an index, too. */
const indexed = { FS_CONTENT_INDEX_MIN_FILES: '0' };

const processes = {
  validated: { program: 'cairn', env: indexed },
  watched: { program: 'watched', env: indexed },
  full: { program: 'cairn', env: { FS_CONTENT_INDEX_MAX_BYTES: '0' } },
  fff: { program: 'fff', env: {} },
} as const;

export function openProcess(name: keyof typeof processes, root: string): Process {
  const { program, env } = processes[name];
  const file = fileURLToPath(new URL('child.ts', import.meta.url));
  const child = fork(file, [program, root], { execArgv: ['--expose-gc'], env: neutralEnvironment(env) });
  const ask = <Value extends object>(request: Request): Promise<Value> => askChild<Value>(child, request);
  return {
    name,
    prepare: () => ask<Build>({ kind: 'prepare' }),
    time: (query, mode) => ask<Timed>({ kind: 'time', query, mode }),
    work: async (query, mode) => (await ask<{ cpuMs: number }>({ kind: 'work', query, mode })).cpuMs,
    list: (query, mode) => ask<Found>({ kind: 'list', query, mode }),
    // It ends once it can get no more messages.
    close: () => {
      if (child.connected) child.disconnect();
    },
  };
}

const maxOutputBytes = 2 ** 30;

/** Parses lines with a path, a NUL and a count. */
function parseCounts(output: string, mode: Mode): Found {
  const separator = mode === 'count' ? '\n' : '\0';
  const found: Record<string, number> = {};
  for (const entry of output.split(separator)) {
    const [path = '', count = '1'] = entry.split('\0');
    if (path !== '') found[path.replace(/^\.\//, '')] = Number(count);
  }
  return found;
}

function isInRepository(directory: string): boolean {
  return spawnSync('git', ['rev-parse'], { cwd: directory, stdio: 'ignore' }).status === 0;
}

/** Measures `rg` from spawn to exit, with its default number of threads and its output to /dev/null. */
export async function openRipgrep(root: string): Promise<Contestant> {
  const peer = await loadPeer('rg');
  if ('missing' in peer) throw new Error(peer.missing);
  const { command } = peer.api;
  const env = neutralEnvironment();
  const parents = isInRepository(root) ? [] : ['--no-ignore-parent'];
  const argumentsOf = ({ pattern, ignoreCase }: Query, mode: Mode): string[] => [
    '--no-config',
    // The files that Cairn searches.
    '--no-require-git',
    '--hidden',
    '--glob',
    '!.git',
    // Outside of a repository, Cairn reads no ignore files above the root.
    ...parents,
    ...(mode === 'count' ? ['--count'] : ['--files-with-matches']),
    '--with-filename',
    '--null',
    ...(ignoreCase === true ? ['--ignore-case'] : []),
    '-e',
    pattern,
    '.',
  ];
  const run = (query: Query, mode: Mode, stdout: 'ignore' | 'pipe'): string => {
    const ended = spawnSync(command, argumentsOf(query, mode), {
      cwd: root,
      env,
      stdio: ['ignore', stdout, 'inherit'],
      maxBuffer: maxOutputBytes,
      encoding: 'utf8',
    });
    // Exit code 1 is for no match.
    if (ended.status !== 0 && ended.status !== 1) throw new Error(`rg ended with exit code ${ended.status}`);
    return ended.stdout;
  };
  const list = async (query: Query, mode: Mode): Promise<Found> => parseCounts(run(query, mode, 'pipe'), mode);
  return {
    name: 'rg',
    list,
    time: async (query, mode) => {
      const began = performance.now();
      run(query, mode, 'ignore');
      return { ms: performance.now() - began, files: Number.NaN, lines: Number.NaN };
    },
    close: () => {},
  };
}
