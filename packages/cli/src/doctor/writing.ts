import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, ok, reasonOf, warn, type Check } from './check.ts';

export const writingCheck: Check = {
  name: 'writing',
  run: async ({ temporary, signal }) => {
    let root: string;
    try {
      root = await mkdtemp(join(await realpath(temporary), 'cairn-doctor-'));
    } catch (error) {
      return fail(
        `cannot create a temporary file: ${reasonOf(error)}`,
        'set TMPDIR to a directory that you can write to',
      );
    }
    try {
      const loaded = await import('@cairn/coding-agent').catch(() => undefined);
      if (!loaded) return warn('not checked, because the addon does not load', "follow the fix of 'addon' first");
      const tools = loaded.createCodingTools({ root });
      const result = await tools.write.execute({ path: 'note.txt', content: 'x' }, { signal });
      signal.throwIfAborted();
      if (result.isError) {
        const [part] = result.content;
        return fail(part?.text.split('\n', 1)[0] ?? result.details.reason, result.details.hint);
      }
      if ((await readFile(join(root, 'note.txt'), 'utf8')) !== 'x') {
        return fail('a file does not contain what was written to it', `check the disk of ${temporary}`);
      }
      return ok('files are replaced atomically, with a journal');
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
};
