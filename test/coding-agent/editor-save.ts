import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** The ways in which editors save a file. Each has saved when it returns. */
export const editorSaves: Readonly<Record<string, (path: string, content: string) => void>> = {
  'by a rename': (path, content) => {
    writeFileSync(`${path}.new`, content);
    renameSync(`${path}.new`, path);
  },
  'in place': (path, content) => writeFileSync(path, content),
  'next to a backup': (path, content) => {
    renameSync(path, `${path}~`);
    writeFileSync(path, content);
    rmSync(`${path}~`);
  },
};
