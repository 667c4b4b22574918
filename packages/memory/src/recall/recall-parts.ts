import { escapeControls } from '@cairn/tool/paths';
import { quoted } from '@cairn/tool/kernel';
import { MemoryError } from '../errors.ts';
import type { CallOptions } from '../records/backend.ts';
import { checkShare, checkTime, checkWhole, refuse } from '../records/checks.ts';
import {
  RECALL_KINDS,
  type PartResult,
  type RecallFilters,
  type RecallHit,
  type RecallKind,
  type RecallNotice,
  type RecallPart,
  UNREAD_CODES,
} from './recall-part.ts';

/** A question, and what it selects. */
export interface AskOptions extends RecallFilters, CallOptions {
  /** Plain text without syntax. Without one, facts and assets are listed, the last changed one first. */
  readonly query?: string | undefined;
  /** The hits with less evidence, 0 to 1, are marked as similar. @default 0.5 */
  readonly minEvidence?: number | undefined;
  /** 1 to 50. @default 5 */
  readonly limit?: number | undefined;
  /** The number of hits to leave out, which earlier pages had. @default 0 */
  readonly offset?: number | undefined;
}

/** A page of what was recalled. */
export interface RecallAnswer {
  /** Facts, assets and messages together, best first; newest first without a question. */
  readonly hits: readonly RecallHit[];
  /** How many of each kind were searched. A kind that was not searched, or could not be, is absent. */
  readonly searched: Readonly<Partial<Record<RecallKind, number>>>;
  readonly hasMore: boolean;
  /** Whether everything that was asked could be read. If not, the notices name what could not. */
  readonly isWhole: boolean;
  /** What the answer leaves out, and why. */
  readonly notices: readonly RecallNotice[];
}

const MAX_RECALLED = 50;
const DEFAULT_LIMIT = 5;

const plurals: Readonly<Record<RecallKind, string>> = {
  fact: 'facts',
  asset: 'assets',
  message: 'messages of past sessions',
};

/** The filters that only some kinds have. */
const filtered: readonly (readonly [filter: keyof RecallFilters, kinds: readonly RecallKind[]])[] = [
  ['tags', ['fact', 'asset']],
  ['scope', ['fact']],
  ['role', ['message']],
];

/** These are about one kind: another one may have an answer. */
const ONLY_SIMILAR: readonly string[] = ['LITTLE_EVIDENCE', 'SIMILAR_WORDS_ONLY'];

const ABOUT_QUESTION: readonly string[] = ['NOTHING_TO_SEARCH', 'COMMON_WORDS_ONLY'];

function isListing({ query = '' }: AskOptions): boolean {
  return query.trim() === '';
}

function isFiltered({ kind, tags, scope, role, since, until }: RecallFilters): boolean {
  return [kind, tags, scope, role, since, until].some((filter) => filter !== undefined);
}

/** Returns the kinds that a question selects. @throws {MemoryError} `INVALID_INPUT` when there is none. */
function kindsOf(options: AskOptions): readonly RecallKind[] {
  const { kind } = options;
  const given = filtered.filter(([filter]) => options[filter] !== undefined);
  const left = RECALL_KINDS.filter((one) => given.every(([, kinds]) => kinds.includes(one)));
  const names = given.map(([filter]) => filter).join(' and ');
  if (left.length === 0) refuse(`Nothing has ${names}`, 'Leave one of them out.');
  if (kind === undefined) {
    // Of past sessions only answers are wanted: every word of them would hide what was kept on purpose.
    return isListing(options) && given.length === 0 ? left.filter((one) => one !== 'message') : left;
  }
  if (!left.includes(kind)) {
    refuse(`Only ${left.map((one) => plurals[one]).join(' and ')} have ${names}`, `Leave out ${names}, or kind.`);
  }
  return [kind];
}

function checkOptions(options: AskOptions): void {
  const { query = '', kind, role, since, until, minEvidence, limit = DEFAULT_LIMIT, offset = 0 } = options;
  if (typeof query !== 'string') refuse('The query is not a string', 'Pass a text.');
  if (kind !== undefined && !RECALL_KINDS.includes(kind)) {
    refuse(`Invalid kind ${quoted(kind)}`, `Use ${RECALL_KINDS.join(', ')}, or leave it out.`);
  }
  if (role !== undefined && typeof role !== 'string') refuse('The role is not a string', 'Pass a text, or omit it.');
  checkTime(since, 'since');
  checkTime(until, 'until');
  checkWhole(limit, 'limit', { min: 1 });
  if (limit > MAX_RECALLED) refuse(`Invalid limit ${limit}`, `Use a whole number from 1 to ${MAX_RECALLED}.`);
  checkWhole(offset, 'offset', { min: 0 });
  checkShare(minEvidence, 'minEvidence');
}

/** Returns how much more of the question one of two hits has. */
function compareCoverage({ evidence: left }: RecallHit, { evidence: right }: RecallHit): number {
  return left === undefined || right === undefined ? 0 : right.covered - left.covered;
}

/** Compares two hits of different kinds: those with enough of the question come first, then those with more of it. */
function compareHits(left: RecallHit, right: RecallHit): number {
  const byMark = Number(left.isSimilar ?? false) - Number(right.isSimilar ?? false);
  return byMark || compareCoverage(left, right) || right.score - left.score;
}

function compareNewest(left: RecallHit, right: RecallHit): number {
  return right.time - left.time;
}

/**
 * Merges lists, and keeps the order of each: with longer lists, the merged one only becomes longer. Of equally good hits the one of
 * the first list comes first.
 */
function merged(
  lists: readonly (readonly RecallHit[])[],
  compare: (left: RecallHit, right: RecallHit) => number,
): RecallHit[] {
  const places = lists.map(() => 0);
  const all: RecallHit[] = [];
  for (;;) {
    const heads = lists.flatMap((list, index) => {
      const hit = list[places[index] ?? 0];
      return hit === undefined ? [] : [{ hit, index }];
    });
    const [first, ...others] = heads;
    if (first === undefined) return all;
    const best = others.reduce((one, other) => (compare(other.hit, one.hit) < 0 ? other : one), first);
    all.push(best.hit);
    places[best.index] = (places[best.index] ?? 0) + 1;
  }
}

type Outcome = { readonly kind: RecallKind } & ({ readonly result: PartResult } | { readonly error: Error });

/** Asks a part. The others answer without it. @throws the errors of invalid options, and the reason of the signal. */
async function ask(part: RecallPart, options: AskOptions & { readonly end: number }): Promise<Outcome> {
  const { kind } = part;
  const { query = '', tags, scope, role, since, until, minEvidence, end, signal } = options;
  try {
    return {
      kind,
      result: await part.find({ query, tags, scope, role, since, until, minEvidence, limit: end, signal }),
    };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof Error)) throw error;
    const isInvalid = 'code' in error && typeof error.code === 'string' && error.code.startsWith('INVALID_');
    if (isInvalid) throw error;
    return { kind, error };
  }
}

/** States which kinds are missing in an answer, and why. A store that is away has the same reason for several. */
function failureNotices(outcomes: readonly Outcome[]): RecallNotice[] {
  const byReason = new Map<string, string[]>();
  for (const outcome of outcomes) {
    if (!('error' in outcome)) continue;
    const reason = outcome.error.message;
    byReason.set(reason, [...(byReason.get(reason) ?? []), plurals[outcome.kind]]);
  }
  return Array.from(byReason, ([reason, names]) => ({
    code: 'PART_FAILED',
    message: `The answer has no ${names.join(' and no ')}, because they could not be read: ${escapeControls(reason)}`,
  }));
}

function noticesOf(outcomes: readonly Outcome[], hits: readonly RecallHit[]): RecallNotice[] {
  const own = outcomes.flatMap((outcome) => ('result' in outcome ? outcome.result.notices : []));
  const isWeak = hits.length > 0 && hits.every(({ isSimilar }) => isSimilar === true);
  const weak = {
    code: 'LITTLE_EVIDENCE',
    message: 'Nothing has enough of the words of the question; these may be about something else.',
  };
  const all = [
    ...failureNotices(outcomes),
    ...own.filter(({ code }) => !ONLY_SIMILAR.includes(code)),
    ...(isWeak ? [weak] : []),
  ];
  // Facts and messages are in one store, and may have the same notice. A notice about the question appears once.
  const keyOf = ({ code, message }: RecallNotice): string => (ABOUT_QUESTION.includes(code) ? code : message);
  return [...new Map(all.map((notice) => [keyOf(notice), notice])).values()];
}

/** Returns what the parts keep and did not search. A part that fails has reported it. */
async function keptElsewhere(
  parts: readonly RecallPart[],
  { searched, signal }: CallOptions & Pick<RecallAnswer, 'searched'>,
): Promise<RecallNotice[]> {
  const asked = parts.map(async ({ kind, elsewhere }) => {
    try {
      return (await elsewhere?.({ searched: searched[kind], signal })) ?? [];
    } catch {
      signal?.throwIfAborted();
      return [];
    }
  });
  return (await Promise.all(asked)).flat();
}

/**
 * Asks facts, assets and messages one question, and returns one page of one order. A part that fails costs a notice.
 *
 * @throws {MemoryError} `INVALID_INPUT`; the error of the first part when no part can be read.
 */
export async function recallParts(parts: readonly RecallPart[], options: AskOptions): Promise<RecallAnswer> {
  checkOptions(options);
  const { kind, limit = DEFAULT_LIMIT, offset = 0 } = options;
  const end = offset + limit;
  const kinds = kindsOf(options);
  // The answer does not depend on the order of tool sets.
  const wanted = kinds.flatMap((one) => parts.filter((part) => part.kind === one));
  if (wanted.length === 0) {
    throw new MemoryError('INVALID_INPUT', [
      `There are no ${kinds.map((one) => plurals[one]).join(' and no ')} here`,
      kind === undefined ? 'Leave a filter out.' : 'Leave out kind.',
    ]);
  }
  const outcomes = await Promise.all(wanted.map((part) => ask(part, { ...options, end })));
  const failed = outcomes.flatMap((outcome) => ('error' in outcome ? outcome.error : []));
  if (failed[0] !== undefined && failed.length === outcomes.length) throw failed[0];
  const found = outcomes.flatMap((outcome) => ('result' in outcome ? [{ kind: outcome.kind, ...outcome.result }] : []));
  const all = merged(
    found.map(({ hits }) => hits),
    isListing(options) ? compareNewest : compareHits,
  );
  const hits = all.slice(offset, end);
  const searched = Object.fromEntries(found.map((part) => [part.kind, part.searched]));
  const isNothing = all.length === 0 && !isFiltered(options);
  const elsewhere = isNothing ? await keptElsewhere(parts, { searched, signal: options.signal }) : [];
  const notices = [...noticesOf(outcomes, hits), ...elsewhere];
  return {
    hits,
    searched,
    isWhole: notices.every(({ code }) => !UNREAD_CODES.has(code)),
    hasMore: all.length > end || found.some(({ hasMore }) => hasMore),
    notices,
  };
}
