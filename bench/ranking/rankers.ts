import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fuzzyFind } from '@cairn/natives';
import { loadPeer } from '../lib/peers.ts';
import type { PeerName, Peers } from '../lib/peers.ts';

/** How far down a list people read. */
export const SHOWN = 10;
/** Asked of engines that also list directories, which do not count as answers here. */
const WITH_DIRECTORIES = 100;

/** Answers queries over one tree with the files it thinks were meant, best first, at most {@link SHOWN}. */
export interface Ranker {
  rank: (query: string) => Promise<string[]> | string[];
  close: () => void;
}

/** A tree of empty files that every ranker sees: `files` below `root`, listed once more in `list`. */
export interface Tree {
  root: string;
  list: string;
  files: readonly string[];
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

function filesOf(matches: readonly PathMatch[]): string[] {
  return matches
    .filter((match) => !match.isDirectory)
    .map((match) => match.path)
    .slice(0, SHOWN);
}

function cairn({ root }: Tree): Ranker {
  const rank = async (query: string): Promise<string[]> => {
    const { matches } = await fuzzyFind({ query, path: root, cache: true, maxResults: WITH_DIRECTORIES });
    return filesOf(matches);
  };
  return { rank, close: nothing };
}

async function piNatives({ root }: Tree): Promise<Ranker> {
  const pi = await peer('pi-natives');
  const rank = async (query: string): Promise<string[]> => {
    const options = { query, path: root, cache: true, gitignore: false, maxResults: WITH_DIRECTORIES };
    return filesOf((await pi.fuzzyFind(options)).matches);
  };
  return { rank, close: nothing };
}

async function sorted({ files }: Tree): Promise<Ranker> {
  const fuzzysort = await peer('fuzzysort');
  const snapshot = fuzzysort.snapshot(files);
  const rank = (query: string): string[] =>
    Array.from(fuzzysort.go(query, snapshot, { limit: SHOWN, threshold: 0 }), (result) => result.target);
  return { rank, close: nothing };
}

async function fff({ root }: Tree): Promise<Ranker> {
  const { FileFinder } = await peer('fff');
  const created = FileFinder.create({ basePath: root, disableWatch: true, disableContentIndexing: true });
  if (!created.ok) throw new Error(created.error);
  const finder = created.value;
  await finder.waitForScan(120_000);
  const rank = (query: string): string[] => {
    const found = finder.fileSearch(query, { pageSize: SHOWN });
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
          if (shown.length === SHOWN) break;
        }
      }
      child.kill();
      await ended;
      return shown;
    };
    return { rank, close: nothing };
  };
}

/** The engines that are compared. */
export const rankers: Record<string, (tree: Tree) => Ranker | Promise<Ranker>> = {
  cairn,
  fff,
  fzf: fzf('default'),
  'fzf path': fzf('path'),
  fuzzysort: sorted,
  'pi-natives': piNatives,
};
