/** The source of Linux as Debian packages it: 78,579 files in 5,000 directories, 1.3 GB. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { mustRun, unpackDebianPackage } from '../debian.ts';
import { say } from '../progress.ts';
import { cacheDirectory, madeOnce } from './cache.ts';

const debianPackage = 'linux-source-6.1';
const archive = `usr/src/${debianPackage}.tar.xz`;

/**
 * Debian adds two lines to the top of the tree that hide everything but its own directory. They are meant for git,
 * which knows the files already; whoever applies them outside a repository would see an empty tree.
 */
const hidesEverything = new Set(['/*', '!/debian/']);

function unpack(from: string, directory: string): void {
  mustRun('tar', ['-xJf', from, '-C', directory, '--strip-components=1']);
  const rules = join(directory, '.gitignore');
  const kept = readFileSync(rules, 'utf8')
    .split('\n')
    .filter((line) => !hidesEverything.has(line));
  writeFileSync(rules, kept.join('\n'));
}

/** The root of the tree, unpacked by the first call. */
export function kernel(): Promise<string> {
  return madeOnce('kernel', (directory) => {
    const installed = `/${archive}`;
    say(`Unpacking the source of Linux into ${directory}`);
    if (existsSync(installed)) {
      unpack(installed, directory);
      return;
    }
    const scratch = mkdtempSync(join(cacheDirectory(), '.kernel-'));
    try {
      unpackDebianPackage(debianPackage, scratch);
      unpack(join(scratch, archive), directory);
    } catch (error) {
      throw new Error(
        `Debian's package ${debianPackage} could not be fetched and unpacked. On another system, put the tree of ` +
          `Linux 6.1 at ${directory.replace(/\.partial$/, '')}.`,
        { cause: error },
      );
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  });
}
