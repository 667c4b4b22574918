import { dirname } from 'node:path';
import type { Change, ChangeKind } from '../change.ts';
import { expects, find } from '../mark.ts';
import { makeDirectories, place, removeDirectories, syncQuietly, takeAway } from '../place.ts';
import { isThere, removeAll } from '../temporary.ts';

export const create: ChangeKind<Change & { readonly kind: 'create' }> = {
  async apply({ operations }, { path, temporary, directories }) {
    await makeDirectories(operations, directories);
    if (!(await place(operations, temporary, path))) return false;
    await syncQuietly(operations, dirname(path));
    return true;
  },
  async inspect({ operations }, { path, temporary, after }) {
    const at = await find(operations, path, { after });
    if (at === 'after') return (await isThere(operations, temporary)) ? 'unapplied' : 'applied';
    return at === 'missing' && (await isThere(operations, temporary)) ? 'unapplied' : 'conflict';
  },
  async revert(tools, { path, temporary, directories, after }, progress) {
    const { operations } = tools;
    const isOurs = (await find(operations, path, { after })) === 'after';
    // With the temporary path it is still another name of the file.
    if (isOurs && progress === 'unapplied') await operations.unlink(path);
    else if (isOurs) await takeAway(tools, path, temporary, expects(operations, after));
    if (progress !== 'conflict' || isOurs) await removeDirectories(operations, directories);
    return progress !== 'conflict';
  },
  clean: (operations, { temporary }) => removeAll(operations, temporary),
};
