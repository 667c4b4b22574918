import { createTool } from '@cairn/tool';
import type { ToolDefinition } from '@cairn/tool';
import type { z } from 'zod';
import type { Workspace } from '../workspace.ts';
import { namesBy } from './spec.ts';
import type { CodingToolSpec, Names } from './spec.ts';

/** How a tool appears in a set: its name there, its parameters, and how they convert to those of its spec. */
export interface Appearance<Given, Input> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType<Given>;
  readonly names: Names;
  /** @throws {ToolError} `INVALID_INPUT` when they do not convert. */
  adapt(given: Given): { readonly input: Input; readonly dryRun?: boolean | undefined };
}

/** The tools' own names and parameters. */
export const ownNames: Names = namesBy({
  tool: (name) => name,
  parameter: (_, name) => name,
  replaceAll: 'replace_all',
});

/** Makes a tool from a spec, on a workspace. */
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
    run: (given, { signal, dryRun: isTrial }) => {
      const { input, dryRun = false } = appearance.adapt(given);
      return spec.run(input, { workspace, names, signal, dryRun: dryRun || isTrial });
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
