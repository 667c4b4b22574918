import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fuzzyFind } from '@cairn/natives';
import { loadPeer } from '../lib/peers.ts';
import type { PeerName, Peers } from '../lib/peers.ts';
import type { Tree } from './tree.ts';

/** How many answers are asked for: more than are judged, because some engines list directories too. */
const ASKED = 100;

/** Answers queries over one tree with the paths it thinks were meant, best first. A directory ends with `/`. */
export interface Ranker {
  rank: (query: string) => Promise<string[]> | string[];
  close: () => void;
}

interface PathMatch {
  path: string;
  isDirectory: boolean;
}

async function peer<Name extends PeerName>(name: Name): Promise<Peers[Name]> {
  const loaded = await loadPeer(name);
  if ('missing' in loaded) throw new Error(`${name} is not there: ${loaded.missing}`);
  return loaded.api;
}

const nothing = (): void => undefined;

/** Whether a path of an answer is that of a directory. */
export function isDirectory(path: string): boolean {
  return path.endsWith('/');
}

function pathsOf(matches: readonly PathMatch[]): string[] {
  return matches.map((match) => (match.isDirectory && !isDirectory(match.path) ? `${match.path}/` : match.path));
}

function cairn({ root }: Tree): Ranker {
  const rank = async (query: string): Promise<string[]> => {
    const { matches } = await fuzzyFind({ query, path: root, cache: true, maxResults: ASKED });
    return pathsOf(matches);
  };
  return { rank, close: nothing };
}

async function piNatives({ root }: Tree): Promise<Ranker> {
  const pi = await peer('pi-natives');
  const rank = async (query: string): Promise<string[]> => {
    const options = { query, path: root, cache: true, gitignore: false, maxResults: ASKED };
    return pathsOf((await pi.fuzzyFind(options)).matches);
  };
  return { rank, close: nothing };
}

async function sorted({ files }: Tree): Promise<Ranker> {
  const fuzzysort = await peer('fuzzysort');
  const snapshot = fuzzysort.snapshot(files);
  const rank = (query: string): string[] =>
    Array.from(fuzzysort.go(query, snapshot, { limit: ASKED, threshold: 0 }), (result) => result.target);
  return { rank, close: nothing };
}

async function fff({ root }: Tree): Promise<Ranker> {
  const { FileFinder } = await peer('fff');
  const created = FileFinder.create({ basePath: root, disableWatch: true, disableContentIndexing: true });
  if (!created.ok) throw new Error(created.error);
  const finder = created.value;
  await finder.waitForScan(120_000);
  const rank = (query: string): string[] => {
    const found = finder.fileSearch(query, { pageSize: ASKED });
    if (!found.ok) throw new Error(found.error);
    return found.value.items.map((item) => item.relativePath);
  };
  return { rank, close: () => finder.destroy() };
}

function fzf(scheme: string): (tree: Tree) => Promise<Ranker> {
  return async ({ list }) => {
    const { command } = await peer('fzf');
    const rank = async (query: string): Promise<string[]> => {
      const input = openSync(list, 'r');
      const child = spawn(command, [`--scheme=${scheme}`, `--filter=${query}`], { stdio: [input, 'pipe', 'ignore'] });
      closeSync(input);
      const ended = new Promise((resolve, reject) => {
        child.once('close', resolve);
        child.once('error', reject);
      });
      const shown: string[] = [];
      if (child.stdout) {
        for await (const line of createInterface({ input: child.stdout })) {
          shown.push(line);
          if (shown.length === ASKED) break;
        }
      }
      child.kill();
      await ended;
      return shown;
    };
    return { rank, close: nothing };
  };
}

function matcher(name: 'nucleo' | 'frizbee'): (tree: Tree) => Promise<Ranker> {
  return async ({ files }) => {
    const start = await peer(name);
    const started = start(files);
    return { rank: async (query) => [...(await started.ask(query)).best], close: () => started.close() };
  };
}

/** The engines that are compared. */
export const rankers: Record<string, (tree: Tree) => Ranker | Promise<Ranker>> = {
  cairn,
  fff,
  fzf: fzf('default'),
  'fzf path': fzf('path'),
  fuzzysort: sorted,
  nucleo: matcher('nucleo'),
  frizbee: matcher('frizbee'),
  'pi-natives': piNatives,
};
