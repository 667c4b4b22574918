import { errnoOf } from '@cairn/tool/internal';
import { CairnError, grep, GrepOutputMode, type GrepMatch, type GrepOptions, type GrepResult } from '@cairn/natives';
import { succeed, ToolError } from '@cairn/tool';
import { count } from '@cairn/tool/prompt';
import { quotePath } from '@cairn/tool/paths';
import { join } from 'node:path';
import { z } from 'zod';
import { takeFileSnapshot } from '../commit/snapshot.ts';
import { recordOf } from '../files/ledger.ts';
import { requireExisting } from '../files/near-names.ts';
import type { ResolvedPath } from '../files/resolve.ts';
import { leftOutNotes, type LeftOut } from './glob.ts';
import { filterNotes, headerOf, linesOf, MAX_COLUMNS, MAX_MATCHES, MAX_PER_FILE, notesOf } from './grep-answer.ts';
import type { GrepDetails, GrepInput, GrepMode } from './grep-answer.ts';
import { inputSchema } from './input.ts';
import * as search from './search.ts';
import type { Workspace } from '../workspace.ts';
import { WHOLE_FILE_BYTES } from './read-page.ts';
import { readOnly, type CodingToolSpec } from './spec.ts';

const TIMEOUT_MS = 30_000;
const MAX_CONTEXT = 20;

const modes: readonly GrepMode[] = ['content', 'files', 'count'];

const shape = {
  pattern: z.string().min(1).describe('regular expression; $ matches before CRLF too'),
  path: z.string().optional(),
  glob: z.string().optional().describe('only these files; a leading ! excludes'),
  type: z.string().optional().describe('such as ts'),
  mode: z.enum(modes).optional(),
  context: z.int().min(0).max(MAX_CONTEXT).optional().describe('lines around'),
  ignore_case: z.boolean().optional(),
  literal: z.boolean().optional(),
  multiline: z.boolean().optional(),
  ignored: z.boolean().optional(),
  limit: z.int().min(1).optional(),
  skip: z.int().min(0).optional(),
};

const outputModes = {
  content: GrepOutputMode.Content,
  files: GrepOutputMode.FilesWithMatches,
  count: GrepOutputMode.Count,
} as const;

/** Searches ignored files too, within bounds. Only after an empty result; hidden files were searched already. */
async function searchLeftOut(options: GrepOptions, ignored: boolean): Promise<LeftOut | undefined> {
  if (ignored) return undefined;
  const { totalMatches, limitReached, complete } = await grep({
    ...options,
    gitignore: false,
    mode: GrepOutputMode.Count,
    offset: 0,
    maxCount: search.SECOND_PASS_RESULTS,
    timeoutMs: search.SECOND_PASS_MS,
  });
  return { hidden: 0, ignored: totalMatches, isCut: limitReached || !complete };
}

/** Returns the result with paths in the form that the other tools take. */
function withPaths(result: GrepResult, base: ResolvedPath, isFile: boolean): GrepResult {
  const named = (path: string): string => (isFile ? base.path : search.pathBelow(base, path));
  const rename = <T extends { readonly path: string }>(match: T): T => ({ ...match, path: named(match.path) });
  const { asTyped, unreadablePaths } = result;
  return {
    ...result,
    matches: result.matches.map(rename),
    ...(asTyped && { asTyped: rename(asTyped) }),
    ...(unreadablePaths && { unreadablePaths: unreadablePaths.map(named) }),
  };
}

/**
 * Searches with CRLF for one line end, as an editor shows it, unless the pattern asks for the carriage return itself. Returns the
 * options that it used, too.
 */
async function searchLines(options: GrepOptions): Promise<readonly [found: GrepResult, used: GrepOptions]> {
  const used = { ...options, crlf: true };
  try {
    return [await grep(used), used];
  } catch (error) {
    if (!CairnError.isInstance(error) || error.code !== 'INVALID_REGEX') throw error;
    return [await grep(options), options];
  }
}

type OnePattern = GrepOptions & { readonly pattern: string };

/** Returns a pattern whose line feeds match CRLF too; `undefined` when it has none, or has carriage returns already. */
function withCrlf({ pattern, literal }: OnePattern): string | undefined {
  if (/\r|\\r/u.test(pattern)) return undefined;
  let isInSet = false;
  const changed = literal
    ? pattern.replaceAll('\n', '\r\n')
    : pattern.replaceAll(/\\[^]|[\n[\]]/gu, (part) => {
        if (part === '[' || part === ']') isInSet = part === '[';
        return !isInSet && (part === '\n' || part === String.raw`\n`) ? String.raw`\r?\n` : part;
      });
  return changed === pattern ? undefined : changed;
}

/** Returns the notice that an empty search over lines would find something in files with CRLF. */
async function crlfNotes(options: OnePattern): Promise<string[]> {
  const pattern = options.multiline ? withCrlf(options) : undefined;
  if (pattern === undefined) return [];
  const bounds = { offset: 0, maxCount: search.SECOND_PASS_RESULTS, timeoutMs: search.SECOND_PASS_MS };
  const [{ totalMatches }] = await searchLines({ ...options, ...bounds, pattern, mode: GrepOutputMode.Count });
  if (totalMatches === 0) return [];
  const write = options.literal ? 'a CRLF for each line feed' : String.raw`\r?\n for \n`;
  return [`[${count(totalMatches, 'line')} in files with CRLF line ends would match: write ${write}]`];
}

/** Whether a file with a name that is not valid UTF-8 has more matches than are shown of it. A glob stands for its name. */
async function hasMoreByGlob(path: string, options: GrepOptions): Promise<boolean> {
  const glob = path.replaceAll(/[^\p{L}\p{N}/_.-]/gu, '?');
  const { matches } = await grep({ ...options, glob, mode: GrepOutputMode.Count, maxColumns: undefined });
  return matches.some((match) => match.path === path && (match.matchCount ?? 0) > MAX_PER_FILE);
}

/** Returns those files of a page that have more matches than the search shows of each. */
async function findCutFiles({ matches, filesCut }: GrepResult, options: GrepOptions): Promise<string[]> {
  if (filesCut === undefined) return [];
  const paths = [...new Set(matches.map(({ path }) => path))];
  const unnamed = new Set(matches.filter(({ lossyPath }) => lossyPath).map(({ path }) => path));
  const one = { ...options, glob: undefined, type: undefined, context: undefined, maxCountPerFile: undefined };
  const isCut = await Promise.all(
    paths.map(async (path) => {
      try {
        if (unnamed.has(path)) return await hasMoreByGlob(path, one);
        const search = { ...one, path: join(options.path, path), maxCount: 1, offset: MAX_PER_FILE };
        return (await grep(search)).matches.length > 0;
      } catch (error) {
        // Deleted since: there is nothing more to find in it.
        if (CairnError.isInstance(error) && error.code === 'PATH_NOT_FOUND') return false;
        throw error;
      }
    }),
  );
  return paths.filter((_, index) => isCut[index]);
}

/** Returns one page of the counts. The search has no limit of its own, which would cut a count short. */
function pageOfCounts(result: GrepResult, skip: number, limit: number): GrepResult {
  const matches = result.matches.slice(skip, skip + limit);
  const isCut = skip + matches.length < result.matches.length;
  return { ...result, matches, ...(isCut && { limitReached: true as const }) };
}

/**
 * Records the content of the files whose lines are shown, so that later changes are noticed; a found line does not count as a
 * sight of its file. Leaves out a file that changed since the search, and one that is too large to hash for a few lines.
 */
async function recordMatches(workspace: Workspace, matches: readonly GrepMatch[]): Promise<void> {
  const files = new Map<string, GrepMatch[]>();
  for (const match of matches) files.set(match.path, [...(files.get(match.path) ?? []), match]);
  for (const [path, lines] of files) {
    try {
      const target = await workspace.resolve(path);
      if (target.stat?.kind !== 'file' || target.stat.size > WHOLE_FILE_BYTES) continue;
      const { bytes, hash } = await takeFileSnapshot(workspace, target);
      const { encoding } = workspace.ledger.get(target.real) ?? {};
      // Cut or repaired lines are not compared.
      const hasLines = lines.every(
        ({ line, truncated }) => truncated || line.includes('\ufffd') || bytes.includes(line),
      );
      if (hasLines) workspace.ledger.record(target.real, recordOf(bytes, { seen: [], encoding, hash }));
      workspace.buffers.release(bytes);
    } catch (error) {
      // The file is gone or moved: the ledger has no record of it.
      if (!ToolError.isInstance(error) && errnoOf(error) === undefined) throw error;
    }
  }
}

export const grepTool: CodingToolSpec<GrepInput, GrepDetails> = {
  name: 'grep',
  description: 'Search the contents of files. Modes: content (default), files, count.',
  shape,
  inputSchema: inputSchema(shape),
  annotations: readOnly('Search in files'),
  async run(input, context) {
    const { workspace, signal } = context;
    const base = await workspace.resolve(input.path ?? '.');
    const { kind } = await requireExisting(workspace, base);
    const { mode = 'content', skip = 0, limit = MAX_MATCHES, ignored = false } = input;
    const bounds = search.boundsFor(base, TIMEOUT_MS);
    const shown = Math.min(limit, MAX_MATCHES);
    const isFile = kind === 'file';
    // Files that are ignored, or not of a workspace, would fill the memory of the cache.
    const isCached = !ignored && bounds.notes.length === 0;
    const options: OnePattern = {
      pattern: input.pattern,
      path: base.real,
      resolveLinks: false,
      ...(isCached && { cache: true, validate: true, watch: workspace.watch }),
      includeNodeModules: true,
      glob: input.glob === undefined ? undefined : search.plainGlob(input.glob),
      type: input.type,
      literal: input.literal,
      ignoreCase: input.ignore_case,
      multiline: input.multiline,
      gitignore: !ignored,
      mode: outputModes[mode],
      ...(mode !== 'count' && { maxCount: shown, offset: skip }),
      ...(mode === 'content' && { maxColumns: MAX_COLUMNS, context: input.context }),
      // Of one file, `skip` reaches every match.
      ...(mode === 'content' && !isFile && { maxCountPerFile: MAX_PER_FILE }),
      timeoutMs: bounds.timeoutMs,
      onTimeout: 'partial',
      signal,
    };
    const [found, used] = await search.searching(base.display, () => searchLines(options));
    const paged = mode === 'count' ? pageOfCounts(found, skip, shown) : found;
    const cutFiles = await search.searching(base.display, () => findCutFiles(found, used));
    const result = withPaths(paged, base, isFile);
    const leftOut =
      result.totalMatches === 0 && kind === 'directory'
        ? await search.searching(base.display, () => searchLeftOut(used, ignored))
        : undefined;
    if (mode === 'content') await recordMatches(workspace, result.matches);
    const details: GrepDetails = {
      ...result,
      skip,
      cutFiles: cutFiles.map((path) => search.pathBelow(base, path)),
      ...(leftOut && { leftOut }),
    };
    const isEmpty = result.totalMatches === 0;
    const hints = isEmpty
      ? [...filterNotes(details, input), ...(await crlfNotes(options))]
      : search.hintNotes(details.hint);
    const notes = [...hints, ...leftOutNotes(leftOut, context, 'grep'), ...notesOf(details, input, shown, context)];
    const { matches } = details;
    const broken = matches.filter(({ lossyPath }) => lossyPath).map(({ path }) => path);
    notes.push(...search.brokenNameNotes(new Set(broken).size), ...bounds.notes);
    notes.push(...search.quotedNotes(matches.map(({ path }) => quotePath(path))));
    return succeed([headerOf(details, mode, context.names), ...linesOf(mode, matches), ...notes].join('\n'), details);
  },
};
