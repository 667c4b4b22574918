/** The command that allows a server of embeddings, and makes the vectors of what is stored. */
import { escapeControls } from '@cairn/tool/paths';
import type { Memory, MemoryBackend } from '@cairn/memory';
import type { Consent } from '@cairn/memory/embeddings';
import type { VectorCount, VectorSource } from '@cairn/memory/terms';
import type { CommandContext } from '../../terminal/command-context.ts';
import { askConsent, embeddingsContext, sentTexts, type ConsentRequest } from '../../terminal/embeddings.ts';
import { CommandError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { useEnvironmentProxy } from '../../terminal/proxy.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { openExistingKnowledge } from '../knowledge/open.ts';
import { memoryCommand, type MemoryPlace } from './memory-command.ts';

/** A store with the tables whose records have vectors. */
interface Place {
  readonly noun: 'fact' | 'message' | 'asset';
  readonly backend: MemoryBackend;
  readonly sources: readonly VectorSource[];
}

/** Runs a task on the facts of a memory and on the messages, if they are wanted, and on the assets of the user if there are some. */
async function onPlaces<T>(
  memory: Memory,
  context: CommandContext,
  run: (place: Place) => Promise<T>,
  { sessions = false }: { readonly sessions?: boolean } = {},
): Promise<readonly T[]> {
  const { signal } = context;
  const { factSources, sessionSources } = await import('@cairn/memory/internal');
  const facts = {
    noun: 'fact',
    backend: memory.backend,
    sources: await factSources(memory.backend, { signal }),
  } as const;
  const results = [await run(facts)];
  if (sessions) {
    const { backend } = memory;
    results.push(await run({ noun: 'message', backend, sources: await sessionSources(backend, { signal }) }));
  }
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

/** Explains why a server made no vectors. Another error stays as it is. */
function failedServer(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'EmbedFailure') return error;
  return new CommandError({
    code: 'EMBED_FAILED',
    message: error.message,
    fix: 'check the server, CAIRN_EMBED_BASE_URL and CAIRN_EMBED_MODEL, then repeat the command; vectors that were made are kept',
    changed: false,
  });
}

/** Lets the user allow the server. @throws {CommandError} when it is not allowed. */
async function allow(
  context: CommandContext,
  consent: Consent,
  { isConfirmed, ...request }: ConsentRequest & { readonly isConfirmed: boolean },
): Promise<void> {
  const { server, model, sessions = false } = request;
  const isAllowed = (await consent.stateOf(server)) === 'allowed';
  if (isAllowed && (!sessions || (await consent.allowsSessions(server)))) return;
  if (isConfirmed) return sessions ? consent.allowSessions(server) : consent.record(server, 'allowed');
  const answer = await askConsent(context, request);
  if (answer === 'allowed') return;
  const option = sessions ? '--sessions --yes' : '--yes';
  const problems = {
    declined: ['declined: nothing more is sent', `'cairn memory embed ${option}' allows it`],
    'no-answer': ['the question was not answered: nothing was recorded', 'run the command again, which asks again'],
    'no-terminal': [
      `this sends ${sentTexts({ sessions })}, to ${server} (model ${model})`,
      'add --yes to allow it; facts that were stored with --allow-secret are never sent',
    ],
  } as const;
  const [message, fix] = problems[answer];
  throw new CommandError({ code: 'CONFIRMATION_NEEDED', message, fix, changed: false });
}

/** Declines the servers that were allowed, and removes all vectors. */
async function switchOff({ memory, context, signal, where, print }: MemoryPlace): Promise<number> {
  const { Consent, embeddingSettings } = await import('@cairn/memory/embeddings');
  const { removeAllVectors } = await import('@cairn/memory/terms');
  const { MemoryError } = await import('@cairn/memory');
  const configured = (): string | undefined => {
    try {
      return embeddingSettings(context.env)?.server;
    } catch (error) {
      // Invalid variables keep no consent.
      if (MemoryError.isInstance(error)) return undefined;
      throw error;
    }
  };
  const withdrawn = await new Consent(embeddingsContext(context.env)).withdraw(configured());
  const erased = await onPlaces(memory, context, ({ backend }) => removeAllVectors(backend, { signal }));
  const isPending = erased.includes('pending');
  const later = isPending ? '; they are erased from the file when no other process reads it' : '';
  const lines = [
    ...withdrawn.map((server) => `nothing is sent to ${server} any more`),
    ...(withdrawn.length === 0 ? ['no server was allowed'] : []),
    `all vectors of ${where}${erased.length > 1 ? ' and of the assets' : ''} were removed${later}`,
  ];
  await print(lines, { off: true, withdrawn, erased: isPending ? 'pending' : 'done' });
  return ExitCode.Hit;
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
    ['--sessions', 'send the messages of all sessions too, past and future, and find them by meaning'],
    ['--yes', 'allow the server without being asked'],
    ['--off', 'send nothing to any server any more, and remove all vectors', undefined, { conflicts: 'sessions' }],
  ],
  examples: `
Examples:
  $ export CAIRN_EMBED_BASE_URL=http://localhost:11434/v1 CAIRN_EMBED_MODEL=nomic-embed-text
  $ cairn memory embed                          names the server, asks, and makes the vectors
  $ cairn memory embed --sessions               the same, for the messages of sessions too
  $ cairn memory embed --off                    withdraws the consent to every server, and removes the vectors

Nothing is sent to a server before you allow it. Facts that were stored with --allow-secret, and texts in which a secret is
found, are never sent. Messages are sent only with --sessions, notes never. Later, a server makes missing vectors in the
background; a command waits up to a second for those of what it stored, and this command makes the rest.`,
  writes: true,
  run: async (place, { yes = false, off = false, sessions = false }) => {
    const { memory, context, signal, print } = place;
    if (off) return switchOff(place);
    const { Consent, embeddingSettings, serverEmbeddings } = await import('@cairn/memory/embeddings');
    const { Meaning, countVectors } = await import('@cairn/memory/terms');
    const settings = embeddingSettings(context.env);
    if (settings === undefined) throw notConfigured();
    const { server, model } = settings;
    const consent = new Consent(embeddingsContext(context.env));
    await allow(context, consent, { server, model, sessions, isConfirmed: yes });
    useEnvironmentProxy(context.env);
    const allowsSessions = (): Promise<boolean> => consent.allowsSessions(server);
    const embeddings = serverEmbeddings(settings, { allowsSessions });
    const run = async ({ noun, backend, sources }: Place) => {
      const meaning = new Meaning(backend, embeddings);
      const isWhole = await meaning.makeAll(sources, { signal }).catch((error: unknown) => {
        throw failedServer(error);
      });
      const keys = sources.map(({ key }) => key);
      return { noun, isWhole, ...sumOf(await countVectors(backend, keys, { signal })) };
    };
    const made = await onPlaces(memory, context, run, { sessions: await allowsSessions() });
    const lines = made.map(({ noun, records, vectors, model: by, isWhole }) => {
      const rest = isWhole ? '' : '; another process makes the others';
      return `${vectors} of ${countOf(records, noun)} can be found by meaning${by === '' ? '' : `, with ${escapeControls(by)}`}${rest}`;
    });
    await print(lines, { server, model, stores: made });
    return ExitCode.Hit;
  },
});
