import type { ToolDefinition } from '@cairn/tool';
import * as registry from './registry.ts';
import type { CodingToolSpec } from './spec.ts';

/** The spec of every tool, by the tool's own name. */
export type ToolSpecs = typeof registry;

/** A tool's own name. */
export type ToolName = keyof ToolSpecs;

/** The tools under their own names. A type alias, because the AI SDK takes a record of tools and an interface is not assignable to one. */
export type CodingTools = {
  readonly [Name in ToolName]: ToolSpecs[Name] extends CodingToolSpec<infer Input, infer Details>
    ? ToolDefinition<Input, Details>
    : never;
};

/** The parameters of a tool. */
export type ToolInput<Name extends ToolName> = Parameters<ToolSpecs[Name]['run']>[0];

/** The details of a tool's successful result. */
export type ToolDetails<Name extends ToolName> = Awaited<ReturnType<ToolSpecs[Name]['run']>>['details'];

export const specs: ToolSpecs = registry;

/** The names in the order in which models see the tools. */
export const toolNames: readonly ToolName[] = [
  'read',
  'write',
  'edit',
  'patch',
  'delete',
  'rename',
  'glob',
  'grep',
  'ls',
];
