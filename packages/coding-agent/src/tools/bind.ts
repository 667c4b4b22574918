import { isObject } from '@cairn/tool/kernel';
import { createTool, ToolError, type ToolDefinition, type ToolSuccess } from '@cairn/tool';
import { unquotePath } from '@cairn/tool/paths';
import type { Workspace } from '../workspace.ts';
import { namesBy, type CodingToolSpec, type Names } from './spec.ts';

/** How a tool appears in a set: its name there, its parameters, and how they convert to the parameters of its spec. */
interface Appearance<Given, Input> extends Pick<ToolDefinition<Given>, 'name' | 'description' | 'inputSchema'> {
  readonly names: Names;
  /** @throws {ToolError} `INVALID_INPUT` when they do not convert. */
  adapt(given: Given): { readonly input: Input; readonly dryRun?: boolean | undefined };
}

export const ownNames: Names = namesBy({
  tool: (name) => name,
  parameter: (_, name) => name,
  replaceAll: 'replace_all',
});

const pathParameters: ReadonlySet<string> = new Set(['path', 'from', 'to', 'old_path', 'new_path']);

/** Returns an input with the paths that quoted paths of answers stand for. */
function unquoted<Input>(input: Input): Input {
  if (!isObject(input)) return input;
  const entries = Object.entries(input).map(([name, value]) => [
    name,
    typeof value === 'string' && pathParameters.has(name) ? unquotePath(value) : value,
  ]);
  return Object.fromEntries(entries) as Input;
}

function withNotes<Details>(result: ToolSuccess<Details>, notes: readonly string[]): ToolSuccess<Details> {
  return { ...result, content: [...result.content, ...notes.map((text) => ({ type: 'text', text }) as const)] };
}

/** Runs a call. Its answer, even an error, ends with what recovery has done since the last answer. */
async function withNotices<Details>(
  { recovery }: Workspace,
  run: () => Promise<ToolSuccess<Details>>,
): Promise<ToolSuccess<Details>> {
  try {
    const result = await run();
    const notices = recovery.takeNotices().map((text) => `[${text}]`);
    return withNotes(result, notices);
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error;
    const notices = recovery.takeNotices();
    if (notices.length === 0) throw error;
    const { code, summary, hint, path, context, changed } = error;
    throw new ToolError(code, [summary, [hint, ...notices].join(' ')], { path, context, changed, cause: error });
  }
}

export function bind<Given, Input, Details>(
  spec: CodingToolSpec<Input, Details>,
  workspace: Workspace,
  appearance: Appearance<Given, Input>,
): ToolDefinition<Given, Details> {
  const { name, description, inputSchema, names } = appearance;
  return createTool({
    name,
    description,
    inputSchema,
    annotations: spec.annotations,
    ...(!spec.annotations.readOnlyHint && { effect: 'files' }),
    run: async (given, { signal, dryRun: isTrial, beforeChange }) => {
      const { input, dryRun = false } = appearance.adapt(given);
      const touched = new Set<string>();
      const context = { workspace, names, signal, dryRun: dryRun || isTrial, beforeChange, touched };
      const result = await withNotices(workspace, () => spec.run(unquoted(input), context));
      if (touched.size === 0) return result;
      return withNotes(result, (await workspace.fileNotes?.notesOn([...touched], { signal })) ?? []);
    },
  });
}

/** Makes a tool under its own name and parameters. Its messages name other tools and parameters by `names`. */
export function bindAsItIs<Input, Details>(
  spec: CodingToolSpec<Input, Details>,
  workspace: Workspace,
  names: Names = ownNames,
): ToolDefinition<Input, Details> {
  const { name, description, inputSchema } = spec;
  return bind(spec, workspace, { name, description, inputSchema, names, adapt: (input) => ({ input }) });
}
