import { existsSync } from 'node:fs';
import { userDirectories, type DirectoryContext } from '@cairn/tool/paths';
import { isAbsolute, join } from 'node:path';
import { KnowledgeError } from './errors.ts';

/** The file of the knowledge directory with the state of the team store. */
export const TEAM_FILE = 'team-store.json';

/**
 * Returns the directory of a user's knowledge: `CAIRN_KNOWLEDGE_DIR` when it is set and not empty, otherwise `knowledge` in the
 * user's data directory. It has the local store `knowledge.db`, the clone `team.git` of the team store, and `AGENTS-INDEX.md`.
 *
 * @throws {KnowledgeError} `INVALID_OPTION` when the variable has a relative path.
 */
export function knowledgeDirectory(context: DirectoryContext): string {
  const own = context.env['CAIRN_KNOWLEDGE_DIR'];
  if (own === undefined || own === '') return join(userDirectories(context).data, 'knowledge');
  if (isAbsolute(own)) return own;
  // Another directory than the user meant would have other knowledge.
  const summary = `CAIRN_KNOWLEDGE_DIR is ${JSON.stringify(own)}, which is not an absolute path`;
  throw new KnowledgeError('INVALID_OPTION', [summary, 'Set it to the absolute path of a directory, or unset it.']);
}

/** Returns the path of the file with the relations of words in the team's glossary assets, which the index writes. `glossaryPaths` of `@cairn/memory/terms` has it too. */
export function teamGlossaryPath(directory: string): string {
  return join(directory, 'glossary.txt');
}

export function databasePath(directory: string): string {
  return join(directory, 'knowledge.db');
}

export function hasTeam(directory: string): boolean {
  return existsSync(join(directory, TEAM_FILE));
}
