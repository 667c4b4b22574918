import type { Knowledge } from '@cairn/knowledge';
import type { FoundMessage } from '@cairn/memory/internal';
import { errorText } from '../../terminal/answer.ts';
import { CommandError, UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { once } from '../../terminal/options.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import { openExistingKnowledge } from '../knowledge/open.ts';
import { onFact } from './find-by-id.ts';
import { erasureOf } from './lines.ts';
import { memoryCommand, type MemoryPlace } from './memory-command.ts';
import { groupOption, scopeOption, streamOption } from './options.ts';

/** The assets that a notice names. */
const MAX_NAMED = 5;

const options = [
  scopeOption('all facts of the project, or of the user'),
  streamOption('all messages of this stream'),
  groupOption('only the messages of this group'),
  ['--message <id>', 'only this message', once('run the command for each message')],
  ['--unreadable', 'all records that cannot be read; an export has them raw'],
  ['--everything', 'the whole store'],
  ['--yes', 'confirm --scope or --everything'],
] as const;

type ForgetFlags = FlagsOf<typeof options>;

type Kind = 'fact' | 'facts' | 'messages' | 'unreadable' | 'everything';

/** Requires a confirmation of what cannot be undone and is more than one thing that was named. */
function checkConfirmed(flags: ForgetFlags, id: string | undefined): void {
  const kind = kindOf(flags, id);
  if (flags.yes === true || (kind !== 'everything' && kind !== 'facts')) return;
  const all = 'all facts, messages, notes, workflows and graphs of the store';
  const what = kind === 'everything' ? all : `all facts of the ${flags.scope}`;
  throw new CommandError({
    code: 'CONFIRMATION_NEEDED',
    message: `this deletes ${what} for good`,
    fix: "add --yes to confirm; 'cairn memory export' or 'cairn memory backup' keeps a copy",
    changed: false,
  });
}

/** Returns the selection of the arguments. @throws {UsageError} */
function kindOf(flags: ForgetFlags, id: string | undefined): Kind {
  const { scope, stream, group, message, unreadable, everything } = flags;
  const selects = [stream, group, message].some((one) => one !== undefined);
  const given = [id !== undefined, scope !== undefined, selects, unreadable === true, everything === true];
  if (given.filter(Boolean).length > 1) {
    throw new UsageError(
      '<id>, --scope, a selection of messages, --unreadable and --everything exclude each other',
      'use one of them',
    );
  }
  if (unreadable === true) return 'unreadable';
  if (everything === true) return 'everything';
  if (scope !== undefined) return 'facts';
  if (id !== undefined) return 'fact';
  if (stream !== undefined) return 'messages';
  throw new UsageError(
    selects ? '--stream is missing' : 'nothing to forget is named',
    'name a fact, or add --stream <name>; to delete less, also add --group or --message',
  );
}

/** Reports that an id is of a message, which is named with its group. */
async function rejectMessage({ stream, group, id: message }: FoundMessage): Promise<never> {
  const words = Object.entries({ stream, group, message }).map(([name, value]) => `--${name} ${shellQuote(value)}`);
  throw new CommandError({
    code: 'UNKNOWN_FACT',
    message: `${message} is a message, not a fact`,
    fix: `'cairn memory forget ${words.join(' ')}' erases it`,
    changed: false,
  });
}

/** Runs a task on the knowledge of the user, if there is one. A failure does not undo a forget. */
async function onKnowledge({ context, signal, notice }: MemoryPlace, run: (knowledge: Knowledge) => Promise<void>) {
  try {
    const knowledge = await openExistingKnowledge(context, { onNotice: notice });
    if (knowledge === undefined) return;
    try {
      await run(knowledge);
    } finally {
      await knowledge.close({ erases: false });
    }
  } catch (error) {
    signal.throwIfAborted();
    notice(`what was shared as an asset remains; that could not be checked: ${errorText(error)}`);
  }
}

/** Names the asset that a forgotten fact was shared as. @returns its id */
async function noteAsset(
  place: MemoryPlace,
  fact: { readonly id: string; readonly text: string; readonly earlier: readonly string[] },
): Promise<string | undefined> {
  const { signal, notice } = place;
  const found: string[] = [];
  await onKnowledge(place, async ({ store }) => {
    const { findShared } = await import('@cairn/knowledge/internal');
    const asset = await findShared(store, fact, { signal });
    if (asset === undefined) return;
    found.push(asset.id);
    notice(`it is also the asset ${asset.id}, which remains; 'cairn knowledge remove ${asset.id}' erases it`);
  });
  return found[0];
}

/** Names the assets that were made of facts, after all facts were forgotten. */
async function noteAssets(place: MemoryPlace): Promise<void> {
  await onKnowledge(place, async ({ store }) => {
    const { sharedAssets } = await import('@cairn/knowledge/internal');
    const assets = await sharedAssets(store, { signal: place.signal });
    if (assets.length === 0) return;
    const more = assets.length > MAX_NAMED ? ` and ${assets.length - MAX_NAMED} more` : '';
    const some = `${assets.slice(0, MAX_NAMED).join(', ')}${more}`;
    place.notice(`assets that were made of facts remain: ${some}; 'cairn knowledge remove <asset>' erases one`);
  });
}

async function forgetFact(id: string, place: MemoryPlace): Promise<number> {
  const { memory, signal, print, notice } = place;
  const known = await memory.facts.get(id, { signal }).catch(() => undefined);
  const { erased, backups, superseded } = await onFact(memory, { id, signal, orMessage: rejectMessage }, async () => {
    // An unknown id is reported here. A record that cannot be read is removed all the same.
    const { forgotten, erased, backups, superseded = [] } = await memory.facts.forget(id, { signal });
    if (!forgotten) await memory.facts.get(id, { signal });
    return { erased, backups, superseded };
  });
  notice(`forgot ${id}; ${erasureOf(erased, backups)}`);
  if (superseded.length > 0) {
    notice(`it had replaced ${superseded.join(', ')}, which the store still has; forget these by id too`);
  }
  const earlier = [...(known?.supersedes === undefined ? [] : [known.supersedes]), ...superseded];
  const asset = await noteAsset(place, { id, text: known?.text ?? '', earlier });
  await print([], {
    id,
    removed: 1,
    erased,
    ...(asset !== undefined && { asset }),
    ...(backups !== undefined && { backups }),
    ...(superseded.length > 0 && { superseded }),
  });
  return ExitCode.Hit;
}

/** What a selection counts. */
const nouns = { fact: 'fact', facts: 'fact', messages: 'message', unreadable: 'record', everything: 'record' } as const;

export const memoryForgetCommand: CommandFactory = memoryCommand({
  description: 'Erase a fact, a message, a group, a stream or everything, for good.',
  summary: 'erase a fact, messages or everything, for good',
  args: [['[id]', 'the fact']],
  options,
  check: checkConfirmed,
  ofProject: (flags, id) => {
    const kind = kindOf(flags, id);
    if (kind === 'fact') return 'wanted';
    return kind === 'facts' && flags.scope === 'project' ? 'needed' : undefined;
  },
  absent: () => ({ removed: 0, erased: 'done', problems: [] }),
  run: async (place, flags, id) => {
    const { memory, signal, print, notice } = place;
    if (id !== undefined) return forgetFact(id, place);
    const kind = kindOf(flags, id);
    const { scope = 'project', stream = '', group, message } = flags;
    const selections = {
      facts: { scope },
      messages: { stream, group, message },
      unreadable: { unreadable: true },
      everything: { everything: true },
    } as const;
    const selection = selections[kind === 'fact' ? 'messages' : kind];
    const { removed, erased, backups, problems } = await memory.forget({ ...selection, signal });
    for (const problem of problems) notice(problem.message);
    notice(
      removed === 0
        ? `no ${nouns[kind]} matches; nothing was deleted`
        : `deleted ${countOf(removed, nouns[kind])}; ${erasureOf(erased, backups)}`,
    );
    if (removed > 0 && (kind === 'facts' || kind === 'everything')) await noteAssets(place);
    await print([], { removed, erased, ...(backups !== undefined && { backups }), problems });
    if (problems.length > 0) return ExitCode.Error;
    return removed > 0 ? ExitCode.Hit : ExitCode.None;
  },
});
