import type { Knowledge } from '@cairn/knowledge';
import type { ToolSet } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import { homeDirectory } from '@cairn/tool/paths';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Session } from '../../terminal/session.ts';

/** The knowledge that is served. */
export interface KnowledgeToolSetOptions {
  /** @default `CAIRN_KNOWLEDGE_DIR`, else the user's own */
  readonly directory?: string | undefined;
  /** The language of texts for a model. @default 'en' */
  readonly language?: Language | undefined;
  /** The knowledge, when it is open. The caller closes it. @default it is opened when a tool needs it */
  readonly shared?: Knowledge | undefined;
}

/** Returns the tool set of `@cairn/knowledge` over the user's knowledge. */
export async function knowledgeToolSet(
  session: Pick<Session, 'env' | 'cwd'>,
  { directory: given, language, shared }: KnowledgeToolSetOptions,
): Promise<ToolSet> {
  const { createKnowledgeToolSet, knowledgeDirectory } = await import('@cairn/knowledge/tools');
  const { env, cwd } = session;
  const directory =
    given === undefined
      ? knowledgeDirectory({ env, home: homeDirectory(env), platform: process.platform })
      : resolve(cwd, given);
  return createKnowledgeToolSet({
    open: async () =>
      shared === undefined
        ? (await import('./open.ts')).openKnowledge(session, { directory, language })
        : { ...shared, close: () => Promise.resolve(), [Symbol.asyncDispose]: () => Promise.resolve() },
    exists: () => existsSync(join(directory, 'knowledge.db')),
    language,
  });
}
