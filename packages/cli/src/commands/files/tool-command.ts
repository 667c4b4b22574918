import { quotePath } from '@cairn/tool/paths';
import { resolve } from 'node:path';
import type { CodingTools, Workspace } from '@cairn/coding-agent';
import type { Names } from '@cairn/coding-agent/internal';
import type { ToolFailure, ToolResult } from '@cairn/tool';
import { writeAnswer } from '../../terminal/answer.ts';
import { diffLines, diffStyle, type ShownDiff } from '../../terminal/diff-lines.ts';
import { CommandError, UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { answerOptions, filled, stateOption } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import type { CommandContext } from '../../terminal/command-context.ts';

export const toolOptions = [
  [
    '--root <dir>',
    'root of all paths; no path may lead out of it',
    (name: string) => filled(name, "use a directory, or '.' for the current one"),
    { default: '.', shownDefault: 'the current directory' },
  ],
  ...answerOptions,
] as const;

function contentTag(value: string): string {
  if (/^[\da-f]{8}$/u.test(value)) return value;
  throw new UsageError(`invalid --expect "${value}"`, "use the tag that 'cairn read' prints, such as 1a2b3c4d");
}

export const dryRunOption = ['--dry-run', 'check everything and show the change, but change nothing'] as const;

/** Returns the options of a command that changes files. `subject` is what has the tag of `--expect`. */
export function mutationOptions(subject: string = 'the file') {
  return [
    dryRunOption,
    ['--expect <tag>', `only if ${subject} has this tag, as 'cairn read' prints it`, () => contentTag],
    stateOption,
    ...toolOptions,
  ] as const;
}

type ToolFlags = FlagsOf<readonly [...typeof toolOptions, typeof stateOption]>;

function namesOf(parameter: (name: string) => string = (name) => `--${name}`): Names {
  return {
    tool: (name) => `'cairn ${name}'`,
    parameter: (_, name) => parameter(name),
    replaceAll: parameter('replace_all'),
    setting: (_, name, value) => `${parameter(name)} ${value}`,
  };
}

export interface ToolRun<Details> {
  readonly flags: ToolFlags;
  /** Whether the command may replace files that were never read. */
  readonly overwrites?: boolean | undefined;
  /** A path that must have the tag of `--expect`. */
  readonly expected?: { readonly path: string; readonly tag: string | undefined } | undefined;
  readonly run: (tools: CodingTools) => Promise<ToolResult<Details>>;
  /** What the command calls a parameter of the tool. Default: an option of the same name. */
  readonly parameter?: ((name: string) => string) | undefined;
  /** What to do next after a failure, for reasons where the tool's own hint does not fit a person. */
  readonly fixes?: Readonly<Partial<Record<ToolFailure['details']['reason'], string>>> | undefined;
  readonly lines?: (details: Details) => Iterable<string>;
  /** The diffs, which are printed instead of lines. */
  readonly diffs?: (details: Details) => readonly ShownDiff[];
  /** The JSON document. Default: the details. */
  readonly document?: (details: Details) => object;
  /** Default: the text of the answer. */
  readonly notices?: (details: Details, text: string) => readonly string[];
  /** Whether the answer leaves out what could not be read, so that the exit status is 2. */
  readonly isPartial?: (details: Details) => boolean;
}

function textOf(result: ToolResult): string {
  const [part] = result.content;
  return part?.type === 'text' ? part.text : '';
}

/** Returns a tool's failure as an error. The text after its first paragraph is context for a model. */
function errorOf(result: ToolResult & { readonly isError: true }, fixes: ToolRun<never>['fixes'] = {}): CommandError {
  const { reason: code, hint, changed, path } = result.details;
  const [paragraph = ''] = textOf(result).split('\n\n', 1);
  const message = paragraph.replace(hint, '').trim();
  const fix = fixes[code] ?? hint.replace(/^Give (?=--)/u, 'Use ').replace(', or set --', ', or use --');
  return new CommandError({ code, message, fix, path, changed });
}

/** The tools change no larger file. */
const MAX_CHANGED_BYTES = 256 * 1024 * 1024;

/** Reads a whole file, so that it may be overwritten. The next call reports a path that cannot be read. */
async function readWhole(workspace: Workspace, path: string, signal: AbortSignal): Promise<void> {
  const [{ readWholeFile }, { ToolError }] = await Promise.all([
    import('@cairn/coding-agent/internal'),
    import('@cairn/tool'),
  ]);
  try {
    await readWholeFile(workspace, path, { maxBytes: MAX_CHANGED_BYTES, signal });
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error;
  }
}

/** Rejects unless a path has the tag of `--expect`. The tag names all of the content, so it counts as read. */
async function checkTag(
  { tools, workspace }: { readonly tools: CodingTools; readonly workspace: Workspace },
  expected: { path: string; tag: string },
  signal: AbortSignal,
): Promise<void> {
  await readWhole(workspace, expected.path, signal);
  // If the file changes between the two, only this one counts.
  const known = await tools.read.execute({ path: expected.path }, { signal });
  if (known.isError) throw errorOf(known);
  const { path } = known.details;
  const tag = 'tag' in known.details ? known.details.tag : undefined;
  if (tag === expected.tag) return;
  throw new CommandError({
    code: tag === undefined ? 'IS_DIRECTORY' : 'STALE',
    message: `${quotePath(path)} ${tag === undefined ? 'is a directory and has no tag' : `has the tag ${tag}`}, not ${expected.tag}`,
    fix: "nothing was changed; check it with 'cairn read', then run the command again with the new tag",
    path,
    changed: false,
  });
}

/** Runs a tool and prints its answer. Each run has read nothing, so it overwrites only with `--expect` or `overwrites`. */
export async function runTool<Details>(context: CommandContext, toolRun: ToolRun<Details>): Promise<number> {
  const { createCodingTools, createWorkspace } = await import('@cairn/coding-agent');
  const { flags, expected, fixes, document = (all: Details): object => Object(all) } = toolRun;
  const { lines, notices = (_: Details, text: string) => [text] } = toolRun;
  const workspace = createWorkspace({
    root: resolve(context.cwd, flags.root),
    stateDirectory: flags.stateDir === undefined ? undefined : resolve(context.cwd, flags.stateDir),
    policy: { staleGuard: toolRun.overwrites === true ? 'off' : 'strict' },
  });
  const tools = createCodingTools({ workspace, names: namesOf(toolRun.parameter) });
  if (expected?.tag !== undefined) {
    await checkTag({ tools, workspace }, { path: expected.path, tag: expected.tag }, context.signal);
  }
  const result = await toolRun.run(tools);
  if (result.isError) throw errorOf(result, fixes);
  const { details } = result;
  const diffs = toolRun.diffs?.(details) ?? [];
  await writeAnswer(context, flags, {
    lines: lines?.(details) ?? shownDiffs(diffs, { flags, context }),
    document: document(details),
    // A part after the first reports what was recovered; of an image, there is no text.
    notices: () => [
      ...notices(details, textOf(result)),
      ...diffNotices(diffs),
      ...result.content.slice(1).flatMap((part) => (part.type === 'text' ? [part.text.slice(1, -1)] : [])),
    ],
  });
  return toolRun.isPartial?.(details) === true ? ExitCode.Error : ExitCode.Hit;
}

function* shownDiffs(
  diffs: readonly ShownDiff[],
  { flags, context }: { readonly flags: ToolFlags; readonly context: CommandContext },
): Generator<string, void, undefined> {
  for (const diff of diffs) yield* diffLines(diff, diffStyle(context, flags.color));
}

function diffNotices(diffs: readonly ShownDiff[]): string[] {
  return diffs
    .filter(({ diff }) => diff.cut)
    .map(({ from, to }) => `the diff of ${quotePath(to ?? from ?? '')} is cut; the whole change was checked`);
}
