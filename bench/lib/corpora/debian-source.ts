/** The sources of other projects, as Debian keeps them. */
import { unpackDebianSource } from '../debian.ts';
import { say } from '../progress.ts';
import { madeOnce } from './cache.ts';

/** The root of the upstream source of one of Debian's packages, unpacked by the first call. */
export function debianSource(name: string): Promise<string> {
  return madeOnce(`source-${name}`, (directory) => {
    say(`Fetching the source of ${name} into ${directory}`);
    unpackDebianSource(name, directory);
  });
}
