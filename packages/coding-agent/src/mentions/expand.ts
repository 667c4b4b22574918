import { CHECK_PATH } from '@cairn/tool/internal';
import { ToolError, type ContentPart, type ToolErrorCode, type ToolSuccess } from '@cairn/tool';
import { formatBytes } from '@cairn/tool/prompt';
import type { ResolvedPath } from '../files/resolve.ts';
import { namesOf } from '../naming/name-tools.ts';
import { profiles, type CodingToolsOptions } from '../naming/profiles.ts';
import { readUnshown, type ReadDetails, type ReadInput } from '../tools/read.ts';
import type { RunContext } from '../tools/spec.ts';
import { workspaceOf, type Workspace } from '../workspace.ts';
import { findMentions, formatMention, type Mention } from './parse.ts';

/** A mention whose content goes with the message. */
interface AttachedMention {
  readonly mention: Mention;
  readonly attached: true;
  readonly details: ReadDetails;
  /** The budget of the message cut it. Otherwise only the limits of `read` apply. */
  readonly cutByBudget: boolean;
}

/** A mention that could not be attached. */
interface LeftOutMention {
  readonly mention: Mention;
  readonly attached: false;
  readonly reason: ToolErrorCode | 'BUDGET';
  readonly message: string;
}

/** A message with the content that it mentions. */
export interface ExpandedMessage {
  /** The given text, then one or two parts for each mention, then one part that lists what is missing or cut. */
  readonly content: readonly ContentPart[];
  /** In the order of the text. A path that is mentioned twice, in any spelling, is attached and listed once. */
  readonly mentions: readonly (AttachedMention | LeftOutMention)[];
}

/**
 * Where mentions lead: a workspace of their own, or better the one of the tools, which then know what was read. `naming` is
 * the profile of the tools: notices say how to continue with them.
 */
export type ExpandOptions = CodingToolsOptions & {
  /**
   * The budget of the whole message, in bytes of text. An image counts as 8 KiB, a large one as a 64th of its data.
   * @default 102400
   */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

const DEFAULT_MAX_BYTES = 100 * 1024;
const MIN_IMAGE_COST = 8 * 1024;
const IMAGE_BYTES_PER_COST = 64;

/** The space of a notice about a cut. */
const NOTICE_BYTES = 160;

function costOf(content: readonly ContentPart[]): number {
  const costs = content.map((part) => {
    if (part.type === 'text') return Buffer.byteLength(part.text);
    return Math.max(MIN_IMAGE_COST, Math.ceil(part.data.length / IMAGE_BYTES_PER_COST));
  });
  return costs.reduce((sum, cost) => sum + cost, 0);
}

/** Returns the number of lines that fit into the rest of the budget. */
function linesThatFit(result: ToolSuccess<ReadDetails>, room: number): number {
  if (result.details.kind !== 'text') return 0;
  const { lines } = result.details;
  const sizes = lines.map((line) => Buffer.byteLength(line) + 1);
  let left = room - NOTICE_BYTES - (costOf(result.content) - sizes.reduce((sum, size) => sum + size, 0));
  const cutAt = sizes.findIndex((size) => (left -= size) < 0);
  return cutAt === -1 ? lines.length : cutAt;
}

async function readOf(
  { path, lines }: Mention,
  workspace: Workspace,
): Promise<{ readonly target: ResolvedPath; readonly input: ReadInput }> {
  const target = await workspace.resolve(path);
  const kind = target.stat?.kind;
  if (kind === undefined || (path.endsWith('/') && kind !== 'directory')) {
    // No similar names here: mentions are never guessed.
    throw new ToolError('NOT_FOUND', ['nothing exists at this path', CHECK_PATH], { path });
  }
  const ranged = lines !== undefined && kind === 'file';
  return { target, input: ranged ? { path, offset: lines.first, limit: lines.last - lines.first + 1 } : { path } };
}

/** Reads as much of a mention as fits. Returns its size when no part fits. */
async function attach(
  { target, input }: Awaited<ReturnType<typeof readOf>>,
  room: number,
  context: RunContext,
): Promise<(ToolSuccess<ReadDetails> & { readonly cutByBudget: boolean }) | { readonly size: number }> {
  const whole = await readUnshown(input, context);
  context.workspace.recency.note(target.real);
  const cost = costOf(whole.result.content);
  if (cost <= room) {
    whole.countAsRead();
    return { ...whole.result, cutByBudget: false };
  }
  const limit = linesThatFit(whole.result, room);
  const part = limit > 0 ? await readUnshown({ ...input, limit }, context) : undefined;
  // The file may have grown since.
  if (!part || costOf(part.result.content) > room) return { size: cost };
  part.countAsRead();
  return { ...part.result, cutByBudget: true };
}

function noticeOf(mentions: ExpandedMessage['mentions'], maxBytes: number): string[] {
  const lines = mentions.flatMap((one) => {
    const name = formatMention(one.mention);
    if (!one.attached) return [`[${name} is not attached: ${one.message}]`];
    return one.cutByBudget ? [`[${name} is attached in part: one message holds at most ${formatBytes(maxBytes)}]`] : [];
  });
  return lines.length === 0 ? [] : [lines.join('\n')];
}

/**
 * Attaches what a message mentions: the text of files with its tag, listings of directories, images. Only exact paths count;
 * the policy and the limits of `read` apply, and the message has one budget, spent in the order of the text. The last part lists
 * what is missing or cut. An attached file counts as read.
 *
 * @throws {ToolError} `INVALID_OPTION`; the signal's reason.
 */
export async function expandMentions(text: string, options: ExpandOptions): Promise<ExpandedMessage> {
  const { maxBytes = DEFAULT_MAX_BYTES, naming = 'default', signal } = options;
  signal?.throwIfAborted();
  if (!(maxBytes >= 0)) {
    const summary = `maxBytes must be a number from 0, not ${maxBytes}`;
    throw new ToolError('INVALID_OPTION', [summary, `Omit it for the default, ${formatBytes(DEFAULT_MAX_BYTES)}.`]);
  }
  const own = { maxBytes: 'optional', signal: 'optional', naming: 'optional', names: 'optional' } as const;
  const workspace = workspaceOf('expandMentions', options, own);
  const touched = new Set<string>();
  const context: RunContext = { workspace, names: namesOf(profiles[naming]), signal, dryRun: false, touched };
  const content: ContentPart[] = [{ type: 'text', text }];
  const mentions: (AttachedMention | LeftOutMention)[] = [];
  /** The mentions that were handled, by their text and by their resolved path. */
  const done = new Set<string>();
  let room = maxBytes;
  const isThere = async (path: string): Promise<boolean> => {
    signal?.throwIfAborted();
    try {
      return (await workspace.resolve(path)).stat !== undefined;
    } catch (error) {
      if (ToolError.isInstance(error)) return false;
      throw error;
    }
  };
  for (const mention of await findMentions(text, isThere)) {
    signal?.throwIfAborted();
    const name = formatMention(mention);
    if (done.has(name)) continue;
    done.add(name);
    try {
      const place = await readOf(mention, workspace);
      const { offset, limit } = place.input;
      const key = JSON.stringify([place.target.absolute, offset, limit]);
      if (done.has(key)) continue;
      done.add(key);
      const found = await attach(place, room, context);
      if ('size' in found) {
        const message = `it has ${formatBytes(found.size)}, but only ${formatBytes(room)} of the ${formatBytes(maxBytes)} for one message are left`;
        mentions.push({ mention, attached: false, reason: 'BUDGET', message });
        continue;
      }
      room -= costOf(found.content);
      content.push(...found.content);
      mentions.push({ mention, attached: true, details: found.details, cutByBudget: found.cutByBudget });
    } catch (error) {
      if (!ToolError.isInstance(error)) throw error;
      mentions.push({ mention, attached: false, reason: error.code, message: error.summary });
    }
  }
  for (const notice of noticeOf(mentions, maxBytes)) content.push({ type: 'text', text: notice });
  for (const text of (await workspace.fileNotes?.notesOn([...touched], { signal })) ?? []) {
    content.push({ type: 'text', text });
  }
  return { content, mentions };
}
