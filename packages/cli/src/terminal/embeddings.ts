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

/** What a server would get. */
export interface ConsentRequest {
  readonly server: string;
  readonly model: string;
  /** Whether messages of sessions are sent too. */
  readonly sessions?: boolean;
}

/** Returns the kinds of content that a server gets when the user allows it. */
export function sentTexts({ sessions = false }: Pick<ConsentRequest, 'sessions'>): string {
  const ofSessions = sessions ? 'the messages of all sessions, past and future, ' : '';
  return `the text of facts and assets, ${ofSessions}and each question to recall them`;
}

/** Asks the person at the terminal to allow a server, and records the answer. Without an answer nothing is recorded. */
export async function askConsent(
  context: CommandContext,
  request: ConsentRequest,
): Promise<'allowed' | 'declined' | 'no-answer' | 'no-terminal'> {
  const { server, model, sessions } = request;
  const { Consent } = await import('@cairn/memory/embeddings');
  const consent = new Consent(embeddingsContext(context.env));
  const question = `Send ${sentTexts(request)}, to ${server} (model ${model})?`;
  const answer = await askPerson(context, async (prompter) => (await askYesNo(prompter, question)) ?? 'no-answer');
  if (answer === undefined) return 'no-terminal';
  if (answer === 'no-answer') return answer;
  // To decline sessions is not to decline the server.
  const isKept = !answer && sessions === true && (await consent.stateOf(server)) === 'allowed';
  if (answer && sessions === true) await consent.allowSessions(server);
  else if (!isKept) await consent.record(server, answer ? 'allowed' : 'declined');
  return answer ? 'allowed' : 'declined';
}

const NOT_ANSWERED = 'the question was not answered: nothing was recorded, and the next recall asks again';

/** Asks the person at the terminal once whether a configured server may be used. Without a person nothing is asked. */
export async function offerEmbeddings(context: CommandContext, notice: (text: string) => void): Promise<void> {
  const { env } = context;
  if (!env['CAIRN_EMBED_BASE_URL'] || !env['CAIRN_EMBED_MODEL']) return;
  const { Consent, embeddingSettings } = await import('@cairn/memory/embeddings');
  try {
    const settings = embeddingSettings(env);
    const consent = new Consent(embeddingsContext(env));
    if (settings === undefined || (await consent.stateOf(settings.server)) !== 'not-asked') return;
    if ((await askConsent(context, settings)) === 'no-answer') notice(NOT_ANSWERED);
  } catch (error) {
    // The search reports invalid variables, and asks again if the answer could not be stored.
    if (error instanceof Error && 'code' in error) return;
    throw error;
  }
}
