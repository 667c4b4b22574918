import { dirname } from 'node:path';
import type { Change, ChangeKind } from '../change.ts';
import { find } from '../mark.ts';
import { place, rescue, syncQuietly, takeAway } from '../place.ts';
import { isThere, removeAll } from '../temporary.ts';

export const deletion: ChangeKind<Change & { readonly kind: 'delete' }> = {
  async apply(tools, { path, temporary }, expected) {
    if (!(await takeAway(tools, path, temporary, expected))) return false;
    await syncQuietly(tools.operations, dirname(path));
    return true;
  },
  async inspect(tools, { path, temporary, before }) {
    const { operations } = tools;
    const out = await find(operations, temporary, { before }, true);
    if (out === 'before') return 'applied';
    if (out === 'other') {
      if (!(await place(operations, temporary, path))) await rescue(tools, path, temporary);
      return 'conflict';
    }
    const at = await find(operations, path, { before });
    if (at === 'missing') return 'applied';
    // Without a hash, it is unknown whether the content is still the one to delete.
    return at === 'before' && before.hash !== undefined ? 'unapplied' : 'conflict';
  },
  async revert(tools, { path, temporary }, progress) {
    const { operations } = tools;
    if (!(await isThere(operations, temporary))) return progress !== 'conflict';
    if (!(await place(operations, temporary, path))) {
      await rescue(tools, path, temporary);
      return false;
    }
    await syncQuietly(operations, dirname(path));
    return true;
  },
  clean: (operations, { temporary }) => removeAll(operations, temporary),
};
