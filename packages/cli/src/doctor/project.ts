import { sqlite } from '@cairn/memory/sqlite';
import { projectOf, userStorePath } from '@cairn/memory';
import { findTwins, moveCommand, unconfirmedLink } from '@cairn/memory/internal';
import { existsSync } from 'node:fs';
import { ok, skip, warn, type Check } from './check.ts';

/** Whether the facts of the working directory's repository are stored for another path. */
export const checkProject: Check = async ({ env, home, platform, cwd, signal }) => {
  const target = await unconfirmedLink(cwd);
  if (target !== undefined) {
    return warn(
      `.git here names ${target === '' ? 'no repository' : target}, which does not point back, so its facts are not used`,
      "if this is a worktree that was moved, run 'git worktree repair' in its repository with this path",
    );
  }
  const path = userStorePath({ env, home, platform });
  if (!existsSync(path)) return skip('memory has no facts yet');
  const backend = sqlite({ path });
  try {
    const project = await projectOf(cwd);
    const [twin, ...others] = await findTwins(backend, project, { signal });
    if (twin === undefined) return ok(project);
    const names = [twin, ...others].map(({ project: name }) => name).join(', ');
    const fork = twin.match === 'fork' ? ', which may be a fork' : '';
    const message = `${project} has no facts, but memory has facts of the same repository at ${names}${fork}`;
    return warn(message, `if they belong here, run '${moveCommand(twin, { backend, project })}'`);
  } finally {
    await backend.close();
  }
};
