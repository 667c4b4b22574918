import { ToolError, type Tools } from '@cairn/tool';
import { nameTools } from './naming/name-tools.ts';
import { namingProfiles, type CodingToolsOptions } from './naming/profiles.ts';
import { bindAsItIs } from './tools/bind.ts';
import { specs, toolNames, type CodingTools } from './tools/specs.ts';
import { workspaceOf, type WorkspaceChoice } from './workspace.ts';

/**
 * Makes the tools of a workspace. The same objects work in the AI SDK (`tools: createCodingTools({ root })`), over MCP and
 * when a program calls them.
 *
 * @throws {ToolError} `INVALID_OPTION`.
 */
export function createCodingTools(
  options: WorkspaceChoice & Pick<CodingToolsOptions, 'names'> & { readonly naming?: 'default' | undefined },
): CodingTools;
export function createCodingTools(options: CodingToolsOptions): Tools;
export function createCodingTools(options: CodingToolsOptions): CodingTools | Tools {
  const { naming = 'default' } = options;
  if (!namingProfiles.includes(naming)) {
    const summary = `naming must be one of ${namingProfiles.join(', ')}, not ${JSON.stringify(naming)}`;
    throw new ToolError('INVALID_OPTION', [summary, 'Omit it for the default names.']);
  }
  const workspace = workspaceOf('createCodingTools', options, { naming: 'optional', names: 'optional' });
  if (naming !== 'default') return nameTools(workspace, naming);
  const tools = toolNames.map((name) => [name, bindAsItIs<unknown, unknown>(specs[name], workspace, options.names)]);
  // Each name has the tool of its own spec, which is what the type derives from.
  return Object.fromEntries(tools) as CodingTools;
}
