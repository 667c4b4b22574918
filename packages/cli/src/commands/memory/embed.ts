/** The command that allows a server of embeddings, and makes the vectors of what is stored. */
import type { Memory, MemoryBackend } from '@cairn/memory';
import type { VectorCount, VectorSource } from '@cairn/memory/terms';
import { askPerson, askYesNo } from '../../terminal/ask.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { consentQuestion, embeddingsContext } from '../../terminal/embeddings.ts';
import { CommandError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { useEnvironmentProxy } from '../../terminal/proxy.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { openExistingKnowledge } from '../knowledge/open.ts';
import { memoryCommand } from './memory-command.ts';

/** A store with the tables whose records have vectors. */
interface Place {
  readonly noun: 'fact' | 'asset';
  readonly backend: MemoryBackend;
  readonly sources: readonly VectorSource[];
}

/** Runs a task on the facts of a memory, and on the assets of the user if there are some. */
async function onPlaces<T>(
  memory: Memory,
  context: CommandContext,
  run: (place: Place) => Promise<T>,
): Promise<readonly T[]> {
  const { signal } = context;
  const { factSources } = await import('@cairn/memory/internal');
  const facts = {
    noun: 'fact',
    backend: memory.backend,
    sources: await factSources(memory.backend, { signal }),
  } as const;
  const results = [await run(facts)];
  const knowledge = await openExistingKnowledge(context, { onNotice: undefined });
  if (knowledge === undefined) return results;
  try {
    const { assetSource } = await import('@cairn/knowledge/internal');
    results.push(await run({ noun: 'asset', backend: knowledge.store.backend, sources: [assetSource] }));
  } finally {
    await knowledge.close({ erases: false });
  }
  return results;
}

function notConfigured(): CommandError {
  return new CommandError({
    code: 'NOT_CONFIGURED',
    message: 'no embeddings server is configured',
    fix: 'set CAIRN_EMBED_BASE_URL and CAIRN_EMBED_MODEL, such as http://localhost:11434/v1 and nomic-embed-text',
    changed: false,
  });
}

/** Lets the user allow the server. @throws {CommandError} when it is not allowed. */
async function allow(
  context: CommandContext,
  { url, model, isConfirmed }: { readonly url: string; readonly model: string; readonly isConfirmed: boolean },
): Promise<void> {
  const { Consent } = await import('@cairn/memory/embeddings');
  const consent = new Consent(embeddingsContext(context.env));
  if ((await consent.stateOf(url)) === 'allowed') return;
  const question = consentQuestion({ url, model });
  const isYes = isConfirmed || (await askPerson(context, (prompter) => askYesNo(prompter, question)));
  if (isYes === true) return consent.record(url, 'allowed');
  // An answer counts, no answer does not.
  if (isYes === false) await consent.record(url, 'declined');
  throw new CommandError({
    code: 'CONFIRMATION_NEEDED',
    message: `this sends the text of facts and assets to ${url} (model ${model})`,
    fix: 'add --yes to allow it; facts that were stored with --allow-secret are never sent',
    changed: false,
  });
}

/** Counts the vectors of a place, and those of its records that are missing. */
function sumOf(counts: readonly VectorCount[]): {
  readonly records: number;
  readonly vectors: number;
  readonly model: string;
} {
  const sum = (numberOf: (count: VectorCount) => number): number =>
    counts.reduce((total, count) => total + numberOf(count), 0);
  const model = counts.find((count) => count.model !== '')?.model ?? '';
  return { records: sum(({ records }) => records), vectors: sum(({ vectors }) => vectors), model };
}

export const memoryEmbedCommand: CommandFactory = memoryCommand({
  description:
    'Find facts and assets by meaning too: allow the embeddings server of CAIRN_EMBED_BASE_URL, and make the vectors of everything that has none.',
  summary: 'find facts and assets by meaning, with an embeddings server',
  options: [
    ['--yes', 'allow the server without being asked'],
    ['--off', 'use the server no longer, and remove all vectors'],
  ],
  examples: `
Examples:
  $ export CAIRN_EMBED_BASE_URL=http://localhost:11434/v1 CAIRN_EMBED_MODEL=nomic-embed-text
  $ cairn memory embed                          names the server, asks, and makes the vectors
  $ cairn memory embed --off                    withdraws the consent, and removes the vectors

Nothing is sent to a server before you allow it. Facts that were stored with --allow-secret, and texts with a known form of a
secret, are never sent. Messages are not embedded. Later, vectors are made in the background.`,
  writes: true,
  run: async ({ memory, context, signal, print }, { yes = false, off = false }) => {
    const { Consent, embeddingSettings, serverEmbeddings } = await import('@cairn/memory/embeddings');
    const { Meaning, countVectors, removeAllVectors } = await import('@cairn/memory/terms');
    const settings = embeddingSettings(context.env);
    if (off) {
      const consent = new Consent(embeddingsContext(context.env));
      if (settings !== undefined) await consent.record(settings.url, 'declined');
      const erased = await onPlaces(memory, context, ({ backend }) => removeAllVectors(backend, { signal }));
      const isPending = erased.includes('pending');
      const later = isPending ? '; they are erased from the file when no other process reads it' : '';
      await print([`all vectors were removed${later}`], { off: true, erased: isPending ? 'pending' : 'done' });
      return ExitCode.Hit;
    }
    if (settings === undefined) throw notConfigured();
    const { url, model } = settings;
    await allow(context, { url, model, isConfirmed: yes });
    useEnvironmentProxy(context.env);
    const embeddings = serverEmbeddings(settings);
    const made = await onPlaces(memory, context, async ({ noun, backend, sources }) => {
      const meaning = new Meaning(backend, embeddings);
      const isWhole = await meaning.makeAll(sources, { signal });
      const keys = sources.map(({ key }) => key);
      return { noun, isWhole, ...sumOf(await countVectors(backend, keys, { signal })) };
    });
    const lines = made.map(({ noun, records, vectors, model: by, isWhole }) => {
      const rest = isWhole ? '' : '; another process makes the others';
      return `${vectors} of ${countOf(records, noun)} can be found by meaning${by === '' ? '' : `, with ${by}`}${rest}`;
    });
    await print(lines, { server: url, model, stores: made });
    return ExitCode.Hit;
  },
});
