/**
 * The programs and libraries the benchmarks compare with. Each is loaded on demand, and one that is not there says why.
 *
 * The interfaces below name only what the benchmarks use, so that types can be checked where the peers are not
 * installed.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { rustMatcher } from './matcher.ts';
import type { StartMatcher } from './matcher.ts';

/** A program that is run as a process of its own. */
export interface Program {
  readonly command: string;
}

/** The addon of `@oh-my-pi/pi-natives`, loaded without its own loader, which wants Bun. */
export interface PiNatives {
  glob(options: {
    pattern: string;
    path: string;
    hidden?: boolean;
    gitignore?: boolean;
    cache?: boolean;
    includeNodeModules?: boolean;
  }): Promise<{ matches: { path: string }[]; totalMatches: number }>;
  fuzzyFind(options: {
    query: string;
    path: string;
    hidden?: boolean;
    gitignore?: boolean;
    cache?: boolean;
    maxResults?: number;
  }): Promise<{ matches: { path: string; isDirectory: boolean }[]; totalMatches: number }>;
  grep(options: {
    pattern: string;
    path: string;
    glob?: string;
    hidden?: boolean;
    gitignore?: boolean;
  }): Promise<{ matches: object[] }>;
}

type FffResult<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: string };

interface FffFiles {
  readonly items: readonly { readonly relativePath: string }[];
  readonly totalMatched: number;
}

/** One file finder of `@ff-labs/fff-node`. */
export interface FffFinder {
  waitForScan(timeoutMs?: number): Promise<FffResult<boolean>>;
  waitForIndexReady(timeoutMs?: number): Promise<FffResult<boolean>>;
  fileSearch(query: string, options?: { pageSize?: number }): FffResult<FffFiles>;
  glob(pattern: string, options?: { pageSize?: number }): FffResult<FffFiles>;
  grep(
    pattern: string,
    options: {
      mode: 'plain' | 'regex';
      smartCase: boolean;
      maxFileSize: number;
      maxMatchesPerFile: number;
      pageSize: number;
    },
  ): FffResult<{ readonly items: FffFiles['items']; readonly nextCursor: object | null }>;
  destroy(): void;
}

export interface Fff {
  readonly FileFinder: {
    create(options: {
      basePath: string;
      disableWatch?: boolean;
      disableContentIndexing?: boolean;
      disableMmapCache?: boolean;
    }): FffResult<FffFinder>;
  };
}

export interface Fuzzysort {
  readonly snapshot: (targets: readonly string[]) => object;
  readonly go: (
    query: string,
    targets: object,
    options?: { limit?: number; threshold?: number },
  ) => ArrayLike<{ readonly target: string; readonly score: number }> & { readonly total: number };
}

/** `fast-glob`'s and `tinyglobby`'s `glob`. */
export interface GlobLibrary {
  readonly glob: (pattern: string, options: { cwd: string; followSymbolicLinks?: boolean }) => Promise<string[]>;
}

export interface Fdir {
  readonly fdir: new () => {
    withRelativePaths(): { crawl(root: string): { withPromise(): Promise<string[]> } };
  };
}

/** What each peer is when it is loaded. */
export interface Peers {
  readonly rg: Program;
  readonly fd: Program;
  readonly fzf: Program;
  readonly 'pi-natives': PiNatives;
  readonly fff: Fff;
  readonly fuzzysort: Fuzzysort;
  readonly nucleo: StartMatcher;
  readonly frizbee: StartMatcher;
  readonly 'fast-glob': GlobLibrary;
  readonly tinyglobby: GlobLibrary;
  readonly fdir: Fdir;
}

export type PeerName = keyof Peers;

interface LoadedApi<Api> {
  readonly version: string;
  readonly api: Api;
}

/** A peer, or why it is not there. */
export type Loaded<Api> = LoadedApi<Api> | { readonly missing: string };

const here = createRequire(import.meta.url);

/** From the manifest itself, whatever the package's `exports` hide. */
function packageVersion(name: string): string {
  const manifest = readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/** The caller names the interface above that the pinned version fulfils. */
async function importPackage<Api>(name: string): Promise<LoadedApi<Api>> {
  const version = packageVersion(name);
  return { version, api: (await import(name)) as Api };
}

/** Runs `--version` of the first of the commands that there is. */
function findProgram(commands: readonly string[], help: string): LoadedApi<Program> {
  for (const command of commands) {
    const { stdout, status } = spawnSync(command, ['--version'], { encoding: 'utf8' });
    const version = status === 0 ? /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] : undefined;
    if (version !== undefined) return { version, api: { command } };
  }
  throw new Error(help);
}

async function ripgrep(): Promise<LoadedApi<Program>> {
  const { api } = await importPackage<{ rgPath: string }>('@vscode/ripgrep');
  return findProgram([api.rgPath], `${api.rgPath} does not run`);
}

/** Its own loader takes the build for AVX2 where the processor has it. */
function piNatives(): LoadedApi<PiNatives> {
  const name = '@oh-my-pi/pi-natives-linux-x64';
  const version = packageVersion(name);
  const hasAvx2 = /\bavx2\b/.test(readFileSync('/proc/cpuinfo', 'utf8'));
  const file = `${name}/pi_natives.linux-x64-${hasAvx2 ? 'modern' : 'baseline'}.node`;
  const api = here(file) as PiNatives & { __ompInstallTokioRuntime(): void };
  // As its loader does, before any other call.
  api.__ompInstallTokioRuntime();
  return { version, api };
}

/** CommonJS: its function is the default export, and its `glob` the same under another name. */
async function fastGlob(): Promise<LoadedApi<GlobLibrary>> {
  const { version, api } = await importPackage<{ default: GlobLibrary }>('fast-glob');
  return { version, api: api.default };
}

type Loaders = { readonly [Name in PeerName]: () => LoadedApi<Peers[Name]> | Promise<LoadedApi<Peers[Name]>> };

const loaders: Loaders = {
  rg: ripgrep,
  fd: () => findProgram(['fdfind', 'fd'], 'not installed (apt-get install fd-find)'),
  fzf: () => findProgram(['fzf'], 'not installed (apt-get install fzf)'),
  'pi-natives': piNatives,
  fff: () => importPackage('@ff-labs/fff-node'),
  fuzzysort: () => importPackage('fuzzysort'),
  nucleo: () => rustMatcher('nucleo'),
  frizbee: () => rustMatcher('frizbee'),
  'fast-glob': fastGlob,
  tinyglobby: () => importPackage('tinyglobby'),
  fdir: () => importPackage('fdir'),
};

export const peerNames: readonly PeerName[] = Object.keys(loaders) as PeerName[];

/** Loads one peer into this process. Never throws. */
export async function loadPeer<Name extends PeerName>(name: Name): Promise<Loaded<Peers[Name]>> {
  try {
    return await loaders[name]();
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}
