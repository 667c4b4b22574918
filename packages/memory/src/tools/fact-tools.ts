import { createTool, inputSchema, succeed, ToolError, type ToolDefinition } from '@cairn/tool';
import { escapeControls } from '@cairn/tool/paths';
import { z } from 'zod';
import { MemoryError } from '../errors.ts';
import { isVisible, type Fact, type FactScope } from '../facts/fact.ts';
import type { ForgottenFact } from '../facts/facts-api.ts';
import type { Memory } from '../memory.ts';
import type { CallOptions, Erasure } from '../records/backend.ts';
import { parseTime } from '../records/time.ts';
import { additive, agentStream, factEntry, factStream, placeOf, type ToolMemory } from './tool-context.ts';
import type { ForgottenText } from '../recall/session-recall.ts';
import { asToolErrors } from './tool-errors.ts';

/** The ids of replaced facts that an answer names. */
const MAX_REPLACED = 20;

interface RememberInput {
  readonly text: string;
  readonly tags?: readonly string[] | undefined;
  readonly scope?: FactScope | undefined;
  readonly pin?: boolean | undefined;
  readonly replaces?: string | undefined;
}

interface UpdateFactInput {
  readonly id: string;
  readonly text?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly pin?: boolean | undefined;
}

interface ForgetFactInput {
  readonly id: string;
}

interface RememberDetails {
  /** Absent after a dry run. */
  readonly fact?: Fact;
  /** False when an equal fact was there. */
  readonly isNew: boolean;
  /** Facts that may say the same. */
  readonly similar: readonly Fact[];
  /** The ids of similar facts that it seems to disagree with. */
  readonly disagreesWith?: readonly string[];
}

interface UpdateFactDetails {
  readonly fact: Fact;
}

interface ForgetFactDetails extends Pick<ForgottenFact, 'forgotten' | 'superseded' | 'backups'> {
  readonly id: string;
  readonly erased?: Erasure;
}

export type FactTools = {
  readonly remember: ToolDefinition<RememberInput, RememberDetails>;
  readonly update_fact: ToolDefinition<UpdateFactInput, UpdateFactDetails>;
  readonly forget_fact: ToolDefinition<ForgetFactInput, ForgetFactDetails>;
};

const tags = z.array(z.string()).optional();
const scope = z.enum(['project', 'user']).optional();

const rememberShape = {
  text: z.string().describe('one fact, clear without context'),
  tags,
  scope: scope.describe('default project; user: all projects of this user'),
  pin: z.boolean().optional().describe('show it at every start'),
  replaces: z.string().optional().describe('id of the outdated fact'),
};
const updateShape = { id: z.string(), text: z.string().optional(), tags, pin: z.boolean().optional() };
const forgetShape = { id: z.string() };

/** The source of facts that a model remembers. */
const SOURCE = 'agent';

/** What became of the text of a forgotten fact. */
const erasures: Readonly<Record<Erasure, string>> = {
  done: 'its text is erased from the store',
  pending:
    'its text is erased from the file when no other process reads it, the disk has space, and the file is not damaged',
  log: 'its text is gone from the data; logs and backups of the server keep it until they are rewritten',
};

function unknownFact(id: string): ToolError {
  return new ToolError('NOT_FOUND', [`There is no fact ${escapeControls(JSON.stringify(id))}`, 'Use an id of recall.']);
}

function unknownProject(): ToolError {
  return new ToolError('INVALID_INPUT', [
    'This memory may be shared by machines, so it does not know the project',
    'Start the server with --project <name>, or use scope user for a fact of all projects.',
  ]);
}

function otherScope(id: string, scope: FactScope): ToolError {
  return new ToolError('INVALID_INPUT', [
    `The fact ${id} has the scope ${scope}, and what replaces it keeps that scope`,
    'Leave out scope, or remember the text without replaces and call forget_fact.',
  ]);
}

/** A dry run stores nothing, so that nothing else would refuse the text. */
async function checkDryRun(
  { text = 'unchanged', tags: given = [] }: Pick<UpdateFactInput, 'text' | 'tags'>,
  changed: Fact | undefined,
): Promise<void> {
  const { checkActive } = await import('../facts/change-facts.ts');
  const { checkSecrets, checkTags } = await import('../facts/checks.ts');
  if (changed !== undefined) checkActive(changed);
  checkSecrets([text, ...checkTags(given)], undefined);
  if (text.trim() === '') throw new ToolError('INVALID_INPUT', ['The text is empty', 'Pass a text.']);
}

/** Refuses a fact of another stream as if it did not exist. For a missing or a damaged fact the call itself answers. */
async function checkStream(
  facts: Memory['facts'],
  id: string,
  { stream, signal }: CallOptions & { readonly stream: string },
): Promise<void> {
  const fact = await facts.get(id, { signal }).catch((error: unknown) => {
    if (MemoryError.isInstance(error)) return undefined;
    throw error;
  });
  if (fact !== undefined && !isVisible(fact, stream)) throw unknownFact(id);
}

/** States how the team gets a fact, where the session can share it. */
function howToShare({ recall }: ToolMemory, id: string): string {
  return recall.hasGetAsset ? `To share it with the team: sink_asset ${JSON.stringify({ fact: id })}.` : '';
}

function rememberTool(context: ToolMemory): FactTools['remember'] {
  const { open, stream, agent } = context;
  return createTool<RememberInput, RememberDetails>({
    name: 'remember',
    description: 'Keep a fact until it is forgotten. An equal one is returned instead of a copy.',
    inputSchema: inputSchema(rememberShape),
    annotations: { title: 'Remember', ...additive },
    run: ({ text, tags: given, scope: asked, pin, replaces }, { signal, dryRun }) =>
      asToolErrors(async () => {
        const { facts, project } = await open();
        if (replaces !== undefined) await checkStream(facts, replaces, { stream, signal });
        const replaced = replaces === undefined ? undefined : await facts.get(replaces, { signal });
        const wanted = replaced?.scope ?? asked ?? 'project';
        if (asked !== undefined && asked !== wanted) throw otherScope(replaced?.id ?? '', wanted);
        if (wanted === 'project' && project === undefined) throw unknownProject();
        // A fact of an agent is for all; its stream states who learned it. Facts of a stream are for the stream.
        const options = {
          scope: wanted,
          tags: given,
          pinned: pin,
          ...factStream(stream),
          ...(agent !== undefined && stream === agentStream(agent) && { shared: true }),
          signal,
        };
        if (dryRun) {
          await checkDryRun({ text, tags: given }, replaced);
          return succeed('It would be remembered. Nothing was stored.', { isNew: true, similar: [] });
        }
        if (replaces !== undefined) {
          const fact = await facts.supersede(replaces, text, { tags: given, pinned: pin, source: SOURCE, signal });
          const done = `Remembered as ${fact.id} ${escapeControls(placeOf(fact))}, instead of ${escapeControls(replaces)}.`;
          return succeed(joined([done, howToShare(context, fact.id)]), { fact, isNew: true, similar: [] });
        }
        const { fact, isNew, similar, disagreesWith } = await facts.remember(text, { ...options, source: SOURCE });
        const lines = [
          `${isNew ? 'Remembered' : 'Already known'} as ${fact.id} ${escapeControls(placeOf(fact))}.`,
          ...[howToShare(context, fact.id)].filter((line) => line !== ''),
        ];
        if (disagreesWith !== undefined) {
          const ids = escapeControls(disagreesWith.join(', '));
          lines.push(
            `It seems to disagree with ${ids}. If that is outdated, call forget_fact with its id; the next time, pass it in replaces.`,
          );
        }
        if (similar.length > 0) {
          const { fitEntries, MEMORY_TOKENS } = await import('../conversations/wrap.ts');
          const entries = similar.map((one) => factEntry(one));
          const { text: shown } = await fitEntries(entries, { maxTokens: MEMORY_TOKENS / 4 });
          lines.push(
            'Similar facts exist. If one is outdated now, call update_fact or forget_fact with its id.',
            shown,
          );
        }
        return succeed(lines.join('\n'), {
          fact,
          isNew,
          similar,
          ...(disagreesWith !== undefined && { disagreesWith }),
        });
      }),
  });
}

function updateTool({ open, stream }: ToolMemory): FactTools['update_fact'] {
  return createTool<UpdateFactInput, UpdateFactDetails>({
    name: 'update_fact',
    description: 'Correct the text, the tags or the pin of a fact.',
    inputSchema: inputSchema(updateShape),
    annotations: { title: 'Update a fact', ...additive, idempotentHint: true },
    run: ({ id, text, tags: given, pin }, { signal, dryRun }) =>
      asToolErrors(async () => {
        if (text === undefined && given === undefined && pin === undefined) {
          throw new ToolError('INVALID_INPUT', ['Nothing to change is given', 'Pass text, tags or pin.']);
        }
        const { facts } = await open();
        await checkStream(facts, id, { stream, signal });
        if (dryRun) {
          const fact = await facts.get(id, { signal });
          await checkDryRun({ text, tags: given }, fact);
          return succeed(`${fact.id} would be updated. Nothing was changed.`, { fact });
        }
        const fact = await facts.update(id, { text, tags: given, pinned: pin, signal });
        return succeed(`Updated ${fact.id}. The earlier text can be restored for 30 days.`, { fact });
      }),
  });
}

/** Returns the facts that one had replaced. */
function earlierOf(fact: Fact | undefined, superseded: readonly string[]): readonly string[] {
  return [...(fact?.supersedes === undefined ? [] : [fact.supersedes]), ...superseded];
}

/** States that the asset of a forgotten fact remains. A failure of its store does not undo what was forgotten. */
async function remainingAsset(
  { recall }: ToolMemory,
  fact: ForgottenText,
  signal: AbortSignal | undefined,
): Promise<string> {
  const asset = await recall.sharedAs(fact, signal).catch((error: unknown) => {
    return error instanceof Error ? error : new Error(String(error));
  });
  if (asset === undefined) return '';
  if (asset instanceof Error)
    return ` If it was shared, its asset remains; that could not be checked: ${asset.message}`;
  return ` It is also the asset ${asset}, which remains. To erase that, the user runs: cairn knowledge remove ${asset}.`;
}

function forgetTool(context: ToolMemory): FactTools['forget_fact'] {
  const { open, stream } = context;
  return createTool<ForgetFactInput, ForgetFactDetails>({
    name: 'forget_fact',
    description: 'Erase a fact for good.',
    inputSchema: inputSchema(forgetShape),
    annotations: { title: 'Forget a fact', ...additive, destructiveHint: true, idempotentHint: true },
    run: ({ id }, { signal, dryRun }) =>
      asToolErrors(async () => {
        const { facts } = await open();
        await checkStream(facts, id, { stream, signal });
        if (dryRun) {
          const fact = await facts.get(id, { signal });
          return succeed(`${fact.id} would be erased. Nothing was changed.`, { id: fact.id, forgotten: false });
        }
        const known = await facts.get(id, { signal }).catch(() => undefined);
        const { forgotten, erased, backups, superseded = [] } = await facts.forget(id, { signal });
        if (!forgotten) throw unknownFact(id);
        const kept = superseded.slice(0, MAX_REPLACED).map((one) => escapeControls(one));
        const older =
          kept.length === 0
            ? ''
            : ` It had replaced ${kept.join(', ')}, which memory still keeps; forget these by id too.`;
        const inBackups = backups === undefined ? '' : ` Backups keep it ${backups}.`;
        const remaining = escapeControls(
          await remainingAsset(context, { id, text: known?.text ?? '', earlier: earlierOf(known, superseded) }, signal),
        );
        const text = `Forgot ${escapeControls(id)}; ${erasures[erased]}.${inBackups}${older}${remaining}`;
        return succeed(text, {
          id,
          forgotten,
          erased,
          ...(backups !== undefined && { backups }),
          ...(superseded.length > 0 && { superseded }),
        });
      }),
  });
}

export function createFactTools(context: ToolMemory): FactTools {
  return {
    remember: rememberTool(context),
    update_fact: updateTool(context),
    forget_fact: forgetTool(context),
  };
}

export function joined(lines: readonly string[]): string {
  return lines.filter((line) => line !== '').join('\n');
}

/** The times of a call, as a model writes them. */
interface GivenTimes {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Parses the times that select memories, by the clock of the store; of one that is away, by the clock of this machine. */
export async function timesOf(
  open: () => Promise<Memory>,
  { since, until, signal }: GivenTimes & CallOptions,
): Promise<{ readonly since?: number; readonly until?: number }> {
  if (since === undefined && until === undefined) return {};
  const storeNow = async (): Promise<number> => (await open()).backend.now({ signal });
  const now = await storeNow().catch(() => Date.now());
  return {
    ...(since !== undefined && { since: parseTime(since, { now, edge: 'since' }) }),
    ...(until !== undefined && { until: parseTime(until, { now, edge: 'until' }) }),
  };
}
