import { join, resolve } from 'node:path';
import { homeDirectory } from '@cairn/tool/paths';
import type { Knowledge, knowledgeDirectory, KnowledgeOptions } from '@cairn/knowledge';
import type { ToolSet } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import type { CommandContext } from '../../terminal/command-context.ts';
import { openGlossary } from '../../terminal/glossary.ts';
import { embeddingsOf } from '../../terminal/embeddings.ts';
import { isAbsent } from '../memory/store.ts';

function placeOf(
  given: string | undefined,
  { env, cwd }: Pick<CommandContext, 'env' | 'cwd'>,
  standard: typeof knowledgeDirectory,
): string {
  if (given !== undefined) return resolve(cwd, given);
  return standard({ env, home: homeDirectory(env), platform: process.platform });
}

/** Returns whether a directory has a store. Of one that this user may not read, opening it reports the reason. */
export function hasStore(directory: string): boolean {
  return !isAbsent(join(directory, 'knowledge.db'));
}

interface OpenKnowledgeOptions extends Pick<KnowledgeOptions, 'directory' | 'language' | 'command'> {
  /** Called with problems of the user's glossary. @default searches use the glossaries of Cairn and of the team */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** Returns the knowledge that the options name. The store is opened on first use. */
export async function openKnowledge(
  { env, cwd }: Pick<CommandContext, 'env' | 'cwd'>,
  { directory, language, command, onNotice }: OpenKnowledgeOptions,
): Promise<Knowledge> {
  const { createKnowledge, knowledgeDirectory } = await import('@cairn/knowledge');
  return createKnowledge({
    directory: placeOf(directory, { env, cwd }, knowledgeDirectory),
    language,
    command,
    embeddings: await embeddingsOf(env),
    env,
    glossary: onNotice && (await openGlossary({ env, ofTeam: false, onNotice })),
  });
}

/** Returns the user's knowledge; `undefined` when there is no store, and none is to be created. */
export async function openExistingKnowledge(
  context: Pick<CommandContext, 'env' | 'cwd' | 'command' | 'agentCommand'>,
  { onNotice }: Pick<OpenKnowledgeOptions, 'onNotice'>,
): Promise<Knowledge | undefined> {
  const { command, agentCommand = command } = context;
  const knowledge = await openKnowledge(context, { command: agentCommand?.(), onNotice });
  return hasStore(knowledge.directory) ? knowledge : undefined;
}

/** The knowledge that is served. */
export interface KnowledgeToolSetOptions {
  /** @default `CAIRN_KNOWLEDGE_DIR`, else the user's own */
  readonly directory?: string | undefined;
  /** The language of texts for a model. @default 'en' */
  readonly language?: Language | undefined;
  /** The knowledge, when it is open. The caller closes it. @default it is opened when a tool needs it */
  readonly shared?: Knowledge | undefined;
  /** Called with problems of the user's glossary. @default searches use the glossaries of Cairn and of the team */
  readonly say?: ((text: string) => void) | undefined;
}

/** Returns the tool set of `@cairn/knowledge` over the user's knowledge. */
export async function knowledgeToolSet(
  context: Pick<CommandContext, 'env' | 'cwd'>,
  { directory: given, language, shared, say }: KnowledgeToolSetOptions,
): Promise<ToolSet> {
  const { createKnowledgeToolSet, knowledgeDirectory } = await import('@cairn/knowledge/tools');
  const directory = placeOf(given, context, knowledgeDirectory);
  return createKnowledgeToolSet({
    open: async () =>
      shared === undefined
        ? openKnowledge(context, { directory, language, onNotice: say })
        : { ...shared, close: () => Promise.resolve(), [Symbol.asyncDispose]: () => Promise.resolve() },
    exists: () => hasStore(directory),
    language,
  });
}
