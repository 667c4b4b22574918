import { projectDirectory, userDirectories, type DirectoryContext } from '@cairn/tool/paths';
import { isAbsolute, join } from 'node:path';

const FILE = 'memory.db';
/** The name of a glossary file. */
const GLOSSARY = 'glossary.txt';

/** Returns the path of the user's store: `memory.db` in the user's data directory, see `userDirectories` of `@cairn/tool/paths`. */
export function userStorePath(context: DirectoryContext): string {
  return join(userDirectories(context).data, FILE);
}

/**
 * Returns the paths of a user's glossaries: `glossary.txt` in the directory of settings, which the user writes, and `glossary.txt` in
 * the directory of the user's knowledge, into which `@cairn/knowledge` writes the relations of the team's glossary assets.
 */
export function glossaryPaths(context: DirectoryContext): { readonly user: string; readonly team: string } {
  const { config, data } = userDirectories(context);
  const own = context.env['CAIRN_KNOWLEDGE_DIR'] ?? '';
  // Knowledge rejects a relative path.
  const knowledge = isAbsolute(own) ? own : join(data, 'knowledge');
  return { user: join(config, GLOSSARY), team: join(knowledge, GLOSSARY) };
}

/** Returns the path of a project's store: `.cairn/memory.db` below its root. */
export function projectStorePath(project: string): string {
  return join(projectDirectory(project), FILE);
}
