import type { Fields } from '@cairn/tool/kernel';
import { describeInputError, ToolError, type ToolDefinition } from '@cairn/tool';
import type { z } from 'zod';
import { bind, bindAsItIs } from '../tools/bind.ts';
import { inputSchema } from '../tools/input.ts';
import type { Names, CodingToolSpec } from '../tools/spec.ts';
import { specs, toolNames, type ToolName } from '../tools/specs.ts';
import type { Workspace } from '../workspace.ts';
import type { Profile, ProfileTool } from './profile.ts';
import { profiles, type NamingProfile } from './profiles.ts';

/** Returns a host's names for messages. Where several of its tools share a spec, `speaker` is the one that reports. */
export function namesOf(profile: Profile, speaker?: string): Names {
  const entries = Object.entries(profile);
  const entryOf = (tool: string): [string, ProfileTool] | undefined =>
    entries.find(([name, entry]) => name === speaker && entry.tool === tool) ??
    entries.find(([, entry]) => entry.tool === tool);
  const parameter = (tool: string, name: string): string => {
    const { parameters = {}, says = {} } = entryOf(tool)?.[1] ?? {};
    return says[name] ?? Object.entries(parameters).find(([, ours]) => ours === name)?.[0] ?? name;
  };
  const edit = entryOf('edit');
  return {
    tool: (name) => entryOf(name)?.[0] ?? name,
    parameter,
    replaceAll: edit ? edit[1].says?.['replace_all'] : 'replace_all',
    setting: (tool, name, value) =>
      entryOf(tool)?.[1].says?.[`${name}=${value}`] ?? `${parameter(tool, name)}=${value}`,
  };
}

/** Returns the name of a tool in a naming profile. A profile that does not exist has the default names. */
export function toolNameIn(naming: string, tool: ToolName): string {
  const isKnown = (name: string): name is NamingProfile => Object.hasOwn(profiles, name);
  return isKnown(naming) ? namesOf(profiles[naming]).tool(tool) : tool;
}

/** Returns the tool that a name stands for in a profile. Tools that the host lacks keep their own names. */
function toolIn(profile: Profile, name: string): ToolName | undefined {
  if (Object.hasOwn(profile, name)) return profile[name]?.tool;
  const isLacking = (tool: ToolName): boolean => !Object.values(profile).some((entry) => entry.tool === tool);
  return toolNames.find((tool) => tool === name && isLacking(tool));
}

/** Returns the tool that a name stands for, in one naming profile or in any of them. No name stands for two tools. */
export function toolOfName(name: string, naming?: NamingProfile): ToolName | undefined {
  if (naming !== undefined) return toolIn(profiles[naming], name);
  return Object.values(profiles)
    .map((profile) => toolIn(profile, name))
    .find((tool) => tool !== undefined);
}

function shapeOf(spec: CodingToolSpec<unknown, unknown>, { parameters, shape = {} }: ProfileTool): z.ZodRawShape {
  const shared = Object.entries(parameters).flatMap(([name, ours]) => {
    const field = spec.shape[ours];
    return field ? [[name, field] as const] : [];
  });
  return { ...Object.fromEntries(shared), ...shape };
}

function renamed(given: Fields, { parameters, accepts = [] }: ProfileTool): Fields {
  const named = [...Object.entries(parameters), ...accepts.map((name) => [name, name] as const)];
  const entries = named.map(([name, ours]) => [ours, given[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function bindAs(name: string, entry: ProfileTool, workspace: Workspace, names: Names): ToolDefinition {
  const spec: CodingToolSpec<unknown, unknown> = specs[entry.tool];
  const unshown = Object.entries(spec.shape).filter(([parameter]) => entry.accepts?.includes(parameter));
  return bind<Fields, unknown, unknown>(spec, workspace, {
    name,
    description: entry.description ?? spec.description,
    inputSchema: inputSchema(shapeOf(spec, entry), { hidden: Object.fromEntries(unshown) }),
    names,
    adapt: (given) => {
      const ours = renamed(given, entry);
      const input = checked(entry.adapt?.(ours, given) ?? ours, spec, name);
      return { input, dryRun: entry.dryRun !== undefined && given[entry.dryRun] === true };
    },
  });
}

/** @throws {ToolError} `INVALID_INPUT` for a value that only the host's tool allows. */
function checked(input: Fields, spec: CodingToolSpec<unknown, unknown>, name: string): unknown {
  const parsed = spec.inputSchema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  const what = describeInputError(parsed.error, input, spec.inputSchema);
  throw new ToolError('INVALID_INPUT', [`${name}: ${what}`, 'Call it again with other values.']);
}

/** Makes the tools under a host's names. Tools that the host lacks keep their own names. */
export function nameTools(workspace: Workspace, naming: NamingProfile): Readonly<Record<string, ToolDefinition>> {
  const profile = profiles[naming];
  const named = Object.entries(profile).map(
    ([name, entry]) => [name, bindAs(name, entry, workspace, namesOf(profile, name))] as const,
  );
  const known = new Set(Object.values(profile).map(({ tool }) => tool));
  const others = toolNames
    .filter((name) => !known.has(name))
    .map((name) => [name, bindAsItIs<unknown, unknown>(specs[name], workspace, namesOf(profile))] as const);
  return Object.fromEntries([...named, ...others]);
}
