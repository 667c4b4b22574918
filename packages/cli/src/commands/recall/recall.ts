/** The command that asks facts, assets and past sessions one question. */
import type { Knowledge } from '@cairn/knowledge';
import type { RecallAnswer, RecallHit } from '@cairn/memory/internal';
import { resolve } from 'node:path';
import type { CommandContext } from '../../terminal/command-context.ts';
import { offerEmbeddings } from '../../terminal/embeddings.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { oneOf, wholeNumber } from '../../terminal/options.ts';
import { describedOption, type FlagsOf } from '../../terminal/parsed.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { countOf } from '../../terminal/text.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { hasStore, openKnowledge } from '../knowledge/open.ts';
import { directoryOption, readType } from '../knowledge/options.ts';
import { formatTime, shownText, textLines } from '../memory/lines.ts';
import {
  offsetOption,
  projectOption,
  scopeOption,
  storeOptions,
  tagOption,
  timeOptions,
  timesBefore,
} from '../memory/options.ts';
import { isAbsent, openMemory, type OpenedMemory } from '../memory/store.ts';
import { Printer } from '../printer.ts';

const MAX_LIMIT = 50;
const DEFAULT_LIMIT = 5;

const kindOption = describedOption('--kind <kind>', oneOf(['fact', 'asset', 'message']));

const recallOptions = [
  kindOption('only facts, only assets of the team, or only messages of past sessions'),
  tagOption('only facts and assets with this tag; repeat it for more'),
  scopeOption('only facts of the project, or of the user'),
  ...timeOptions,
  [
    '--limit <n>',
    `at most N, up to ${MAX_LIMIT} (default: ${DEFAULT_LIMIT})`,
    wholeNumber({ minimum: 1, maximum: MAX_LIMIT }),
  ],
  offsetOption,
  projectOption,
  directoryOption,
  ...storeOptions,
] as const;

type RecallFlags = FlagsOf<typeof recallOptions>;

/** The stores of a question. They are opened when they are asked, and only if they exist. */
class Stores {
  readonly #context: CommandContext;
  readonly #flags: RecallFlags;
  readonly #onNotice: (notice: string) => void;
  #memory: Promise<OpenedMemory> | undefined;
  #knowledge: Promise<Knowledge> | undefined;

  constructor(context: CommandContext, flags: RecallFlags, onNotice: (notice: string) => void) {
    this.#context = context;
    this.#flags = flags;
    this.#onNotice = onNotice;
  }

  memory(): Promise<OpenedMemory> {
    const { directory: _, ...flags } = this.#flags;
    this.#memory ??= openMemory(this.#context, flags, {
      // The answer says what it lacks.
      onUnreadable: () => undefined,
      onNotice: this.#onNotice,
      directory: this.#context.cwd,
    });
    return this.#memory;
  }

  knowledge(): Promise<Knowledge> {
    this.#knowledge ??= openKnowledge(this.#context, {
      directory: this.#flags.directory,
      onNotice: this.#onNotice,
    });
    return this.#knowledge;
  }

  /** Asks both. A store that cannot be opened is a notice of the answer. */
  async ask(query: string): Promise<RecallAnswer> {
    const [{ memoryParts, recallParts }, { assetsPart }] = await Promise.all([
      import('@cairn/memory/internal'),
      import('@cairn/knowledge/internal'),
    ]);
    const { directory } = await this.knowledge();
    const hasNone = await this.memory().then(
      (opened) => opened.isAbsent(),
      () => false,
    );
    const { kind, tag: tags, scope, limit, offset } = this.#flags;
    const times = await timesBefore(this.#flags, () => this.#now());
    const parts = [
      ...memoryParts({ open: async () => (await this.memory()).memory, exists: () => !hasNone }),
      assetsPart({ open: () => this.knowledge(), exists: () => hasStore(directory) }),
    ];
    const { signal } = this.#context;
    return recallParts(parts, { query, kind, tags, scope, ...times, limit, offset, signal });
  }

  async close(): Promise<void> {
    const memory = await this.#memory?.catch(() => undefined);
    await memory?.memory.close();
    const knowledge = await this.#knowledge?.catch(() => undefined);
    await knowledge?.close({ erases: false });
  }

  /** The clock of the memory; of one that is away or absent, the clock of this machine. */
  async #now(): Promise<number> {
    const opened = await this.memory().catch(() => undefined);
    if (opened === undefined || opened.isAbsent()) return Date.now();
    return opened.memory.backend.now({ signal: this.#context.signal }).catch(() => Date.now());
  }
}

/** Of a long asset a list shows a part. In UTF-16 code units. */
const MAX_ASSET = 400;

function* linesOf(
  hit: RecallHit,
  words: readonly string[],
  context: CommandContext,
): Generator<string, void, undefined> {
  const { kind, id, text, time, isSimilar, tags, about } = hit;
  const disagreement = about['disagrees-with'];
  const marks = [
    ...(isSimilar === true ? ['similar'] : []),
    ...(disagreement === undefined ? [] : [`disagrees with ${disagreement}`]),
    ...(about['marks']?.split(' ') ?? []),
  ].map((mark) => `(${mark})`);
  const facts = [
    about['scope'],
    about['type'] && readType(about['type']),
    about['role'],
    ...tags.map((tag) => `#${tag}`),
    ...marks,
  ];
  const heading = [formatTime(time), kind, id, ...facts.filter((one) => one !== undefined)].join(' ');
  if (kind !== 'asset') {
    yield* textLines(`${heading}: `, shownText(text, id, context, { matched: words }), context);
    return;
  }
  yield* textLines(`${heading}: `, about['title'] ?? '', context);
  const command = `cairn knowledge show ${shellQuote(id)}`;
  const shown = shownText(text.trim(), id, context, { matched: words, command, max: MAX_ASSET });
  // Only headings start at the margin.
  yield* textLines('    ', shown, context);
}

function documentOf({ kind, id, text, time, score, evidence, isSimilar, tags, about }: RecallHit): object {
  return {
    kind,
    id,
    ...about,
    tags,
    text,
    score,
    ...(evidence && { evidence }),
    similar: isSimilar === true,
    changed_at: new Date(time).toISOString(),
  };
}

/** Returns a notice with what was searched and what to do, for a question without an answer. */
function nothingFound(
  { searched, isWhole, notices }: RecallAnswer,
  query: string,
  { offset = 0, ...flags }: RecallFlags,
  cwd: string,
): string {
  if (offset > 0) return `nothing more at --offset ${offset}; use a smaller one`;
  const { kind, tag, scope, since, until } = flags;
  const isFiltered = [kind, tag, scope, since, until].some((filter) => filter !== undefined);
  const counts = (['fact', 'asset', 'message'] as const).flatMap((one) => {
    const count = searched[one];
    return count === undefined ? [] : [countOf(count, one)];
  });
  const where = [counts.slice(0, -1).join(', '), counts.at(-1)].filter(Boolean).join(' and ');
  if (!isWhole) return `nothing found in what could be read: ${where}`;
  const isEmpty = Object.values(searched).every((count) => count === 0);
  const isElsewhere = notices.some(({ code }) => code === 'KEPT_ELSEWHERE' || code === 'PROJECT_MOVED');
  if (isEmpty && flags.store !== undefined && isAbsent(resolve(cwd, flags.store)))
    return `there is no memory at ${flags.store}`;
  if (isEmpty && !isFiltered && !isElsewhere) {
    return "nothing is kept yet: 'cairn memory remember <text>' keeps a fact, and 'cairn recall <question>' finds it";
  }
  if (isEmpty && !isFiltered) return `nothing found in ${where}; 'cairn memory remember <text>' keeps a fact here`;
  if (query.trim() === '') return `nothing found in ${where}; leave out options, or use 'cairn memory remember <text>'`;
  return `nothing found in ${where}; try other words${isFiltered ? ' or fewer options' : ''}, or list all with 'cairn recall'`;
}

export const recallCommand: CommandFactory = defineCommand({
  description:
    'Ask what was kept one question: facts, the assets of the team, and messages of past sessions, best answer first. Without a question it lists facts and assets, newest first.',
  summary: 'ask facts, assets and past sessions one question',
  args: [['[question...]', 'a question or a few words, in any language']],
  options: recallOptions,
  examples: `
Examples:
  $ cairn recall 'what do the tests need'       facts, assets and past sessions, best answer first
  $ cairn recall                                facts and assets, newest first, five at a time
  $ cairn recall redis --kind asset             only what the team shares
  $ cairn recall deploy --tag ci --since 7d     with a tag, of the last week
  $ cairn recall redis --json                   one JSON document

Each hit has its kind and its id. 'cairn memory show <id>' shows a fact or a message whole, 'cairn knowledge show <id>' an asset.
'cairn memory remember <text>' keeps a fact, and 'cairn knowledge share <id>' shares it with the team.

Exit status: 0 if something was found, 1 if nothing was, 2 on an error or if something could not be read.`,
  run: async (context, flags, question) => {
    const printer = new Printer(context, flags);
    const stores = new Stores(context, flags, printer.notice);
    const query = question.join(' ');
    try {
      if (query !== '' && flags.json !== true) await offerEmbeddings(context, printer.notice);
      const answer = await stores.ask(query);
      const { hits, notices, hasMore, isWhole } = answer;
      for (const { message } of notices)
        for (const line of message.split('\n'))
          printer.notice(line.trim().replace('get_asset reads them', "'cairn knowledge show' reads them"));
      if (hits.length === 0) printer.notice(nothingFound(answer, query, flags, context.cwd));
      const { limit = DEFAULT_LIMIT, offset = 0 } = flags;
      if (hasMore && hits.length > 0) printer.notice(`there are more: use --offset ${offset + limit}`);
      const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
      const lines = hits.flatMap((hit) => [...linesOf(hit, words, context)]);
      const exitCode = await printer.printMatches(lines, hits.map(documentOf), { hasMore, isWhole });
      // An unreadable part is missing in the output.
      return isWhole ? exitCode : ExitCode.Error;
    } finally {
      await stores.close();
      await printer.end();
    }
  },
});
