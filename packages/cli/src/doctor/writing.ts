import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, ok, reasonOf, warn, type Check } from './check.ts';

/** Writes a file as the tools do: with the locks, the journal and the renames. */
export const writingCheck: Check = {
  name: 'writing',
  run: async ({ temporary, signal }) => {
    let root: string;
    try {
      root = await mkdtemp(join(await realpath(temporary), 'cairn-doctor-'));
    } catch (error) {
      return fail(
        `no temporary file can be made: ${reasonOf(error)}`,
        'set TMPDIR to a directory that you may write to',
      );
    }
    try {
      const loaded = await import('@cairn/coding-agent').catch(() => undefined);
      if (!loaded) return warn('not tried: the addon does not load', 'mend the addon first');
      const tools = loaded.createCodingTools({ root });
      const result = await tools.write.execute({ path: 'note.txt', content: 'x' }, { signal });
      signal.throwIfAborted();
      if (result.isError) {
        const [part] = result.content;
        return fail(part?.text.split('\n', 1)[0] ?? result.details.reason, result.details.hint);
      }
      if ((await readFile(join(root, 'note.txt'), 'utf8')) !== 'x') {
        return fail('a file that was written does not hold what was written', `look at the disk behind ${temporary}`);
      }
      return ok(`files are written whole, with locks in ${temporary}`);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
};
