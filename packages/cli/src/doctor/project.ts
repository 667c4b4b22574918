import { sqlite } from '@cairn/memory/sqlite';
import { projectOf, userStorePath } from '@cairn/memory';
import { findTwins, moveCommand, unconfirmedLink } from '@cairn/memory/internal';
import { existsSync } from 'node:fs';
import { shellQuote } from '../terminal/shell-quote.ts';
import { ok, skip, warn, type Check } from './check.ts';

/** Whether the facts of the working directory's repository are stored for another path. */
export const checkProject: Check = async ({ env, home, platform, cwd, signal }) => {
  const project = await projectOf(cwd);
  const target = await unconfirmedLink(project);
  if (target !== undefined) {
    return warn(
      `.git in ${project} names ${target === '' ? 'no repository' : target}, which does not name this directory, so its facts are not used`,
      `if you moved this worktree, run 'git worktree repair ${shellQuote(project)}' in its repository; if you do not know the .git file, do not`,
    );
  }
  const path = userStorePath({ env, home, platform });
  if (!existsSync(path)) return skip('memory has no facts yet');
  const backend = sqlite({ path, readOnly: true });
  try {
    const [twin, ...others] = await findTwins(backend, project, { signal });
    if (twin === undefined) return ok(project);
    const names = [twin, ...others].map(({ project: name }) => name).join(', ');
    const message = `${project} has no facts, but memory has facts of another directory that may belong to it: ${names}`;
    const fork = twin.match === 'fork' ? ', and it is not just a fork' : '';
    return warn(message, `if they belong here${fork}, run '${moveCommand(twin, { backend, project })}'`);
  } finally {
    await backend.close();
  }
};
