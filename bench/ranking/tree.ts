/** The trees of empty files that every ranker sees. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FileType, glob } from '@cairn/natives';

/** A tree of empty files: `files` below `root`, listed once more in `list`. */
export interface Tree {
  root: string;
  list: string;
  files: readonly string[];
}

/** The files of a directory, without the components called `node_modules`. */
export async function filesOf(directory: string): Promise<string[]> {
  const { matches } = await glob({
    pattern: '**',
    path: directory,
    fileType: FileType.File,
    includeNodeModules: true,
    gitignore: false,
  });
  return matches.filter((match) => !match.lossyPath).map((match) => match.path.replaceAll('node_modules/', ''));
}

/** Makes the files, empty, for as long as `use` runs. */
export async function withTree<Value>(files: readonly string[], use: (tree: Tree) => Promise<Value>): Promise<Value> {
  const scratch = mkdtempSync(join(tmpdir(), 'cairn-ranking-'));
  try {
    // `fzf` and people read lines.
    const plain = [...new Set(files)].filter((file) => !file.includes('\n')).toSorted();
    const root = join(scratch, 'tree');
    const made = new Set<string>();
    for (const file of plain) {
      const path = join(root, file);
      if (!made.has(dirname(path))) mkdirSync(dirname(path), { recursive: true });
      made.add(dirname(path));
      writeFileSync(path, '');
    }
    const list = join(scratch, 'files.txt');
    writeFileSync(list, `${plain.join('\n')}\n`);
    return await use({ root, list, files: plain });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
