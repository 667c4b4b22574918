import type { MemoryBackend } from '@cairn/memory';
import type { VectorCount } from '@cairn/memory/terms';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { embeddingsContext } from '../terminal/embeddings.ts';
import { useEnvironmentProxy } from '../terminal/proxy.ts';
import { fail, ok, reasonOf, skip, warn, type Check, type DoctorContext } from './check.ts';

const TIMEOUT_MS = 10_000;

/** Counts the vectors of a store on this machine, if it exists. */
async function countIn(
  path: string,
  keysOf: (backend: MemoryBackend) => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<readonly VectorCount[]> {
  if (!existsSync(path)) return [];
  const [{ sqlite }, { countVectors }] = await Promise.all([
    import('@cairn/memory/sqlite'),
    import('@cairn/memory/terms'),
  ]);
  const backend = sqlite({ path, readOnly: true });
  try {
    return await countVectors(backend, await keysOf(backend), { signal });
  } finally {
    await backend.close();
  }
}

async function countsOf(
  { env, signal }: DoctorContext,
  { sessions }: { readonly sessions: boolean },
): Promise<readonly VectorCount[]> {
  const context = embeddingsContext(env);
  const [{ userStorePath }, { factSources, sessionSources }, { knowledgeDirectory }, { assetSource }] =
    await Promise.all([
      import('@cairn/memory'),
      import('@cairn/memory/internal'),
      import('@cairn/knowledge'),
      import('@cairn/knowledge/internal'),
    ]);
  const factKeys = async (backend: MemoryBackend): Promise<string[]> =>
    [...(await factSources(backend, { signal })), ...(sessions ? await sessionSources(backend, { signal }) : [])].map(
      ({ key }) => key,
    );
  const assets = join(knowledgeDirectory(context), 'knowledge.db');
  return [
    ...(await countIn(userStorePath(context), factKeys, signal)),
    ...(await countIn(assets, async () => [assetSource.key], signal)),
  ];
}

/** Checks the embeddings server. Sends it the word "test", if the user allowed it. */
export const checkEmbeddings: Check = async (context) => {
  const { env, signal } = context;
  if (!env['CAIRN_EMBED_BASE_URL'] && !env['CAIRN_EMBED_MODEL']) {
    return skip('CAIRN_EMBED_BASE_URL and CAIRN_EMBED_MODEL are not set; facts and assets are found by words');
  }
  const { Consent, embeddingSettings, probeEmbeddings, serverEmbeddings } = await import('@cairn/memory/embeddings');
  const { MemoryError } = await import('@cairn/memory');
  useEnvironmentProxy(env);
  try {
    const settings = embeddingSettings(env);
    if (settings === undefined) return skip('not configured');
    const { server, model } = settings;
    const consent = new Consent(embeddingsContext(env));
    const state = await consent.stateOf(server);
    if (state !== 'allowed') {
      const why = state === 'declined' ? 'was declined' : 'is not allowed yet';
      return warn(
        `${server} (model ${model}) ${why}, so nothing is sent to it`,
        "run 'cairn memory embed' to allow it",
      );
    }
    const dimension = await probeEmbeddings(serverEmbeddings(settings), { timeoutMs: TIMEOUT_MS, signal });
    const sessions = await consent.allowsSessions(server);
    const counts = await countsOf(context, { sessions });
    const embedded = counts.reduce((sum, { vectors: one }) => sum + one, 0);
    const records = counts.reduce((sum, { records: one }) => sum + one, 0);
    const what = sessions ? 'facts, messages and assets' : 'facts and assets';
    const summary = `${model} at ${server}, ${dimension} dimensions; ${embedded} of ${records} ${what} have vectors`;
    return embedded < records ? warn(summary, "run 'cairn memory embed' to make the others") : ok(summary);
  } catch (error) {
    signal.throwIfAborted();
    if (MemoryError.isInstance(error)) return fail(error.summary, error.hint.replace(/\.$/u, ''));
    return fail(
      reasonOf(error),
      'start the server, or correct the CAIRN_EMBED_ variables; until then words are searched',
    );
  }
};
