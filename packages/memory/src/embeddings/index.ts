/** Embeddings of a server that the environment names. */
import type { CallOptions } from '../records/backend.ts';
import type { DirectoryContext } from '@cairn/tool/paths';
import { MemoryError } from '../errors.ts';
import { Embedder, EmbedFailure, type Embeddings } from '../vectors/embeddings.ts';
import { Consent } from './consent.ts';
import { serverEmbeddings } from './server.ts';
import { embeddingSettings } from './settings.ts';

export { Consent } from './consent.ts';
export { serverEmbeddings } from './server.ts';
export { embeddingSettings } from './settings.ts';
export type { EmbeddingSettings } from './settings.ts';
export type { ConsentState, Embeddings } from '../vectors/embeddings.ts';

/**
 * Returns the embeddings of the server that `CAIRN_EMBED_BASE_URL` and `CAIRN_EMBED_MODEL` name; `undefined` when they are not set.
 * Nothing is sent before the user allowed the server, see {@link Consent}. An invalid variable fails each use of the embeddings, and
 * nothing else.
 */
export function configuredEmbeddings(context: DirectoryContext): Embeddings | undefined {
  try {
    const settings = embeddingSettings(context.env);
    if (settings === undefined) return undefined;
    const consent = new Consent(context);
    const { server } = settings;
    return serverEmbeddings(settings, {
      consent: () => consent.stateOf(server),
      allowsSessions: () => consent.allowsSessions(server),
    });
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    const { message } = error;
    return { model: '', server: 'no server', embed: () => Promise.reject(new EmbedFailure(message)) };
  }
}

/** Asks a server for one vector. @returns its dimension. @throws an error with the reason when the server does not work. */
export async function probeEmbeddings(
  embeddings: Embeddings,
  options: CallOptions & { readonly timeoutMs: number },
): Promise<number> {
  const { vectors } = await new Embedder(embeddings).embed(['test'], options);
  return vectors[0]?.length ?? 0;
}
