import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const text =
  'Written by `cairn tour` to show that a new file is found. The tour removes it; if it is still here, delete it.\n';

/** The file the tour writes. It exists from `createTourFile` to `remove`. */
export interface TourFile {
  readonly name: string;
  /** Removes the file; a second call does nothing. */
  readonly remove: () => void;
}

/** Creates a file right below `root`, synchronously: no signal is handled while it exists unknown. @throws if that fails */
export function createTourFile(root: string): TourFile {
  const name = `cairn-tour-${randomBytes(6).toString('hex')}.txt`;
  const path = join(root, name);
  const remove = (): void => rmSync(path, { force: true });
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    // A full disk creates the file and fails to fill it. An existing file belongs to another program.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) remove();
    throw error;
  }
  return { name, remove };
}
