/** Embeddings of a server that the environment names. */
import type { DirectoryContext } from '@cairn/tool/paths';
import type { Embeddings } from '../vectors/embeddings.ts';
import { Consent } from './consent.ts';
import { serverEmbeddings } from './server.ts';
import { embeddingSettings } from './settings.ts';

export { Consent } from './consent.ts';
export { embeddingSettings } from './settings.ts';
export type { EmbeddingSettings } from './settings.ts';
export type { Embeddings } from '../vectors/embeddings.ts';

/**
 * Returns the embeddings of the server that `CAIRN_EMBED_BASE_URL` and `CAIRN_EMBED_MODEL` name; `undefined` when they are not set.
 * Nothing is sent before the user allowed the server, see {@link Consent}.
 *
 * @throws {MemoryError} `INVALID_OPTION` when a variable is missing or invalid.
 */
export function configuredEmbeddings(context: DirectoryContext): Embeddings | undefined {
  const settings = embeddingSettings(context.env);
  if (settings === undefined) return undefined;
  const consent = new Consent(context);
  return serverEmbeddings(settings, { isAllowed: () => consent.isAllowed(settings.url) });
}
