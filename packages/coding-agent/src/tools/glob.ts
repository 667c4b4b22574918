import { FileType, glob, type GlobOptions, type GlobResult } from '@cairn/natives';
import { succeed } from '@cairn/tool';
import { count } from '@cairn/tool/prompt';
import { quotePath } from '@cairn/tool/paths';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { requireExisting } from '../files/near-names.ts';
import type { ResolvedPath } from '../files/resolve.ts';
import { inputSchema } from './input.ts';
import * as search from './search.ts';
import { readOnly, type RunContext, type CodingToolSpec } from './spec.ts';

const MAX_RESULTS = 200;
const TIMEOUT_MS = 5000;

const shape = {
  pattern: z.string(),
  path: z.string().optional(),
  hidden: z.boolean().optional(),
  ignored: z.boolean().optional().describe('include ignored files'),
  limit: z.int().min(1).optional(),
  skip: z.int().min(0).optional(),
};

export interface GlobInput {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly hidden?: boolean | undefined;
  readonly ignored?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly skip?: number | undefined;
}

/** The matches of a second pass, in files that the first pass leaves out. Only after an empty result. */
export interface LeftOut {
  /** Matches with a hidden name in their path. */
  readonly hidden: number;
  /** Matches that ignore files exclude. */
  readonly ignored: number;
  /** There may be more. */
  readonly isCut: boolean;
}

interface GlobDetails extends Pick<GlobResult, 'totalMatches' | 'stopReason' | 'hint'> {
  /** Newest first, in the form that the other tools take; directories end with `/`. */
  readonly paths: readonly string[];
  readonly skip: number;
  readonly unreadable: number;
  /** Only when nothing was found. */
  readonly leftOut?: LeftOut;
}

/** Searches hidden and ignored files, within bounds. Only after an empty result. */
async function searchLeftOut(options: GlobOptions, { hidden, ignored }: GlobInput): Promise<LeftOut | undefined> {
  if (hidden && ignored) return undefined;
  const { matches, complete } = await glob({
    ...options,
    hidden: true,
    gitignore: false,
    includeNodeModules: true,
    sortByMtime: false,
    maxResults: search.SECOND_PASS_RESULTS,
    timeoutMs: search.SECOND_PASS_MS,
  });
  const inHidden = matches.filter(({ path }) => search.isHidden(path)).length;
  return { hidden: inHidden, ignored: matches.length - inHidden, isCut: !complete };
}

export function leftOutNotes(leftOut: LeftOut | undefined, { names }: RunContext, tool: string): string[] {
  if (leftOut === undefined) return [];
  const most = leftOut.isCut ? 'at least ' : '';
  const [hidden, ignored] = ['hidden', 'ignored'].map((name) => names.setting(tool, name, 'true'));
  const notes: string[] = [];
  if (leftOut.hidden > 0) {
    const found = `${most}${count(leftOut.hidden, 'match', 'matches')} in hidden files`;
    notes.push(`[${found}: ${hidden}, and ${ignored} if they are ignored]`);
  }
  if (leftOut.ignored > 0) {
    notes.push(`[${most}${count(leftOut.ignored, 'match', 'matches')} in ignored files: ${ignored}]`);
  }
  if (notes.length === 0 && leftOut.isCut) notes.push('[hidden and ignored files were searched only in part]');
  return notes;
}

const stopTexts: Readonly<Record<string, string>> = {
  timeout: 'the time limit was reached',
  budget: 'the tree has more entries than one scan collects',
};

function headerOf({ paths, totalMatches, skip, stopReason }: GlobDetails, given: string): string {
  const pattern = quotePath(given);
  const stopped = stopReason === undefined ? undefined : stopTexts[stopReason];
  if (paths.length === 0) {
    if (stopped !== undefined) return `[nothing found so far for ${pattern}: ${stopped}; search a smaller directory]`;
    return skip > 0 ? `[no more matches of ${pattern}: there are ${totalMatches}]` : `[no match for ${pattern}]`;
  }
  const total = `${stopped === undefined ? '' : 'at least '}${count(totalMatches, 'match', 'matches')}`;
  const range = paths.length === totalMatches ? total : `${skip + 1}-${skip + paths.length} of ${total}`;
  return `[${range} of ${pattern}, newest first${stopped === undefined ? '' : `; incomplete: ${stopped}`}]`;
}

async function baseOf(input: GlobInput, { workspace }: RunContext): Promise<{ base: ResolvedPath; pattern: string }> {
  const split = search.splitPattern(input.pattern);
  const { path = '.' } = input;
  // A pattern with `..` starts from the searched directory.
  const from = split.base === undefined || isAbsolute(split.base) ? (split.base ?? path) : join(path, split.base);
  const base = await workspace.resolve(from);
  await requireExisting(workspace, base);
  return { base, pattern: split.pattern };
}

export const globTool: CodingToolSpec<GlobInput, GlobDetails> = {
  name: 'glob',
  description: 'Find paths by a glob pattern, newest first. Without / it matches names at any depth.',
  shape,
  inputSchema: inputSchema(shape),
  annotations: readOnly('Find files'),
  async run(input, context) {
    const { base, pattern } = await baseOf(input, context);
    const { skip = 0, limit = MAX_RESULTS, ignored = false } = input;
    const bounds = search.boundsFor(base, TIMEOUT_MS);
    const shown = Math.min(limit, MAX_RESULTS);
    const options: GlobOptions = {
      pattern,
      // In a directory that the pattern names, a name matches in that directory alone.
      recursive: pattern.includes('/') || !input.pattern.includes('/'),
      path: base.real,
      resolveLinks: false,
      // A pattern that names a hidden file asks for it.
      hidden: input.hidden ?? search.isHidden(pattern),
      gitignore: !ignored,
      ...(ignored && { includeNodeModules: true }),
      sortByMtime: true,
      maxResults: Math.min(skip + shown, Number.MAX_SAFE_INTEGER),
      timeoutMs: bounds.timeoutMs,
      onTimeout: 'partial',
      signal: context.signal,
    };
    const result = await search.searching(base.display, () => glob(options));
    const paths = result.matches
      .slice(skip)
      .map(({ path, fileType }) => search.pathBelow(base, fileType === FileType.Dir ? `${path}/` : path));
    const isEmpty = result.totalMatches === 0;
    const leftOut = isEmpty ? await search.searching(base.display, () => searchLeftOut(options, input)) : undefined;
    const details: GlobDetails = {
      paths,
      totalMatches: result.totalMatches,
      skip,
      unreadable: result.unreadable ?? 0,
      ...(result.stopReason && { stopReason: result.stopReason }),
      ...(result.hint !== undefined && { hint: result.hint }),
      ...(leftOut && { leftOut }),
    };
    const notes = [...search.hintNotes(details.hint), ...leftOutNotes(leftOut, context, 'glob')];
    if (skip + paths.length < result.totalMatches && paths.length > 0) {
      const next = context.names.setting('glob', 'skip', `${skip + paths.length}`);
      notes.push(`[cut by the limit of ${shown}; continue with ${next}]`);
    }
    const unread = result.unreadablePaths?.map((path) => search.pathBelow(base, path));
    const broken = result.matches.slice(skip).filter(({ lossyPath }) => lossyPath).length;
    const lines = paths.map(quotePath);
    notes.push(
      ...search.unreadableNotes(details.unreadable, ['entry', 'entries'], unread),
      ...search.brokenNameNotes(broken),
    );
    notes.push(...bounds.notes, ...search.quotedNotes(lines));
    return succeed([headerOf(details, input.pattern), ...lines, ...notes].join('\n'), details);
  },
};
