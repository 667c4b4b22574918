import { dirname } from 'node:path';
import type { Change, ChangeKind } from '../change.ts';
import { find } from '../mark.ts';
import { makeDirectories, place, removeDirectories, syncQuietly } from '../place.ts';

export const move: ChangeKind<Change & { readonly kind: 'move' }> = {
  async apply({ operations }, { path, to, directories }, expected) {
    if (!(await expected(path))) return false;
    await makeDirectories(operations, directories);
    if (!(await place(operations, path, to))) return false;
    await syncQuietly(operations, dirname(path), dirname(to));
    return true;
  },
  async inspect({ operations }, { path, to, before: { inode } }) {
    // Edits in place move along.
    const before = { inode };
    const from = await find(operations, path, { before });
    const at = await find(operations, to, { before });
    if (from === 'before') return at === 'other' ? 'conflict' : 'unapplied';
    return at === 'before' ? 'applied' : 'conflict';
  },
  async revert({ operations }, { path, to, directories }, progress) {
    if (progress !== 'applied') return progress === 'unapplied';
    if (!(await place(operations, to, path))) return false;
    await removeDirectories(operations, directories);
    await syncQuietly(operations, dirname(path));
    return true;
  },
  clean: async () => undefined,
};
