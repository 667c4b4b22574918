import { spawn } from 'node:child_process';
import { openSync, closeSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fuzzyFind } from '@cairn/natives';
import { FileFinder } from '@ff-labs/fff-node';
import fuzzysort from 'fuzzysort';

/** How far down a list people look. */
export const SHOWN = 10;
/** Asked of those who also list directories, which are no answer here. */
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

interface PiNatives {
  fuzzyFind: (options: Record<string, unknown>) => Promise<{ matches: PathMatch[] }>;
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

function piNatives({ root }: Tree): Ranker {
  const path = '@oh-my-pi/pi-natives-linux-x64/pi_natives.linux-x64-modern.node';
  const { fuzzyFind: find }: PiNatives = createRequire(import.meta.url)(path);
  const rank = async (query: string): Promise<string[]> => {
    const options = { query, path: root, cache: true, gitignore: false, maxResults: WITH_DIRECTORIES };
    return filesOf((await find(options)).matches);
  };
  return { rank, close: nothing };
}

function sorted({ files }: Tree): Ranker {
  const snapshot = fuzzysort.snapshot(files);
  const rank = (query: string): string[] =>
    fuzzysort.go(query, snapshot, { limit: SHOWN, threshold: 0 }).map((result) => result.target);
  return { rank, close: nothing };
}

async function fff({ root }: Tree): Promise<Ranker> {
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

function fzf(scheme: string): (tree: Tree) => Ranker {
  return ({ list }) => {
    const rank = async (query: string): Promise<string[]> => {
      const input = openSync(list, 'r');
      const child = spawn('fzf', [`--scheme=${scheme}`, `--filter=${query}`], { stdio: [input, 'pipe', 'ignore'] });
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

/** Who is compared. */
export const rankers: Record<string, (tree: Tree) => Ranker | Promise<Ranker>> = {
  cairn,
  fff,
  fzf: fzf('default'),
  'fzf path': fzf('path'),
  fuzzysort: sorted,
  'pi-natives': piNatives,
};

/** Writes the list that fzf reads. */
export function writeList(directory: string, files: readonly string[]): string {
  const list = join(directory, 'files.txt');
  writeFileSync(list, `${files.join('\n')}\n`);
  return list;
}
