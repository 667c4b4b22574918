import type { Embeddings } from '@cairn/memory/embeddings';
import { homeDirectory, type DirectoryContext } from '@cairn/tool/paths';
import { askPerson, askYesNo } from './ask.ts';
import type { CommandContext } from './command-context.ts';
import { useEnvironmentProxy } from './proxy.ts';

type Environment = DirectoryContext['env'];

/** Returns the user whose configuration has the consent. */
export function embeddingsContext(env: Environment): DirectoryContext {
  return { env, home: homeDirectory(env), platform: process.platform };
}

/** Returns the embeddings of the server that the environment names; `undefined`, and nothing is loaded, when it names none. */
export async function embeddingsOf(env: Environment): Promise<Embeddings | undefined> {
  if (!env['CAIRN_EMBED_BASE_URL'] && !env['CAIRN_EMBED_MODEL']) return undefined;
  useEnvironmentProxy(env);
  return (await import('@cairn/memory/embeddings')).configuredEmbeddings(embeddingsContext(env));
}

/** Returns the question that asks the user to allow a server. */
export function consentQuestion({ url, model }: { readonly url: string; readonly model: string }): string {
  return `Send the text of facts and assets, and each question to recall them, to ${url} (model ${model})?`;
}

/** Asks the person at the terminal once whether a configured server may be used. Without a person nothing is asked. */
export async function offerEmbeddings(context: CommandContext): Promise<void> {
  const { env } = context;
  if (!env['CAIRN_EMBED_BASE_URL'] || !env['CAIRN_EMBED_MODEL']) return;
  const { Consent, embeddingSettings } = await import('@cairn/memory/embeddings');
  try {
    const settings = embeddingSettings(env);
    const consent = new Consent(embeddingsContext(env));
    if (settings === undefined || (await consent.stateOf(settings.url)) !== 'not-asked') return;
    const isYes = await askPerson(context, (prompter) => askYesNo(prompter, consentQuestion(settings)));
    if (isYes !== undefined) await consent.record(settings.url, isYes ? 'allowed' : 'declined');
  } catch (error) {
    // The search reports invalid variables, and asks again if the answer could not be stored.
    if (error instanceof Error && 'code' in error) return;
    throw error;
  }
}
