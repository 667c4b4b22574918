import { userDirectories } from '@cairn/tool/paths';
import type { DirectoryContext } from '@cairn/tool/paths';
import { isAbsolute, join } from 'node:path';

/** The file of the knowledge directory with the state of the team store. */
export const TEAM_FILE = 'team.json';

/**
 * Returns the directory of a user's knowledge: `CAIRN_KNOWLEDGE_DIR` when it is an absolute path, otherwise `knowledge` in the
 * user's data directory. It has the local store `knowledge.db`, the clone `team` of the team store, and `AGENTS-INDEX.md`.
 */
export function knowledgeDirectory(context: DirectoryContext): string {
  const own = context.env['CAIRN_KNOWLEDGE_DIR'];
  return own !== undefined && isAbsolute(own) ? own : join(userDirectories(context).data, 'knowledge');
}
