import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { homeDirectory } from '@cairn/tool/paths';
import type { Knowledge, KnowledgeOptions } from '@cairn/knowledge';
import type { Session } from '../../terminal/session.ts';

/** Returns the knowledge that the options name. The store is opened on first use. */
export async function openKnowledge(
  { env, cwd }: Pick<Session, 'env' | 'cwd'>,
  { directory, language, command }: Pick<KnowledgeOptions, 'directory' | 'language' | 'command'>,
): Promise<Knowledge> {
  const { createKnowledge, knowledgeDirectory } = await import('@cairn/knowledge');
  const place = { env, home: homeDirectory(env), platform: process.platform };
  return createKnowledge({
    directory: directory === undefined ? knowledgeDirectory(place) : resolve(cwd, directory),
    language,
    command,
    env,
  });
}

/** Returns the user's knowledge; `undefined` when there is no store, and none is to be created. */
export async function openExistingKnowledge(
  session: Pick<Session, 'env' | 'cwd' | 'command' | 'agentCommand'>,
): Promise<Knowledge | undefined> {
  const { command, agentCommand = command } = session;
  const knowledge = await openKnowledge(session, { command: agentCommand?.() });
  return existsSync(join(knowledge.directory, 'knowledge.db')) ? knowledge : undefined;
}
