import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of a journal's first line. */
interface Header {
  readonly paths: readonly string[];
  readonly locks: readonly string[];
  readonly temporaries?: readonly string[];
}

function line(value: object): string {
  const json = JSON.stringify(value);
  return `${createHash('sha1').update(json).digest('hex')} ${json}\n`;
}

/** Writes a journal as a killed process leaves it, and returns its path. Written apart from the product, which has to read it. */
export function writeJournal(
  directory: string,
  state: string,
  header: Header,
  changes: readonly object[] = [],
): string {
  const path = join(directory, `${randomBytes(8).toString('hex')}.journal`);
  const first = line({ version: 'cairn journal 1', temporaries: [], ...header });
  writeFileSync(path, `${state}${first}${line(changes)}`);
  return path;
}
