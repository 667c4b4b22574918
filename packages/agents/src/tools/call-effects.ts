import type { DescribeCall } from '@cairn/context';
import { isObject } from '@cairn/tool/kernel';
import type { AgentTool } from './agent-tool.ts';
import { toolNameOf } from './tool-names.ts';

const PATHS = ['path', 'file_path', 'filePath', 'filepath', 'file', 'from', 'source', 'to', 'destination'];
const COMMANDS = ['command', 'cmd'];
const CHANGING = ['write', 'edit', 'delete', 'rename'];
const PATCHED = /^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ b\/|--- a\/)(?<path>.+)$/gmu;

/** Returns the files that a call of a tool that changes files names. */
function filesOf(tool: string | undefined, input: Readonly<Record<string, unknown>>): string[] {
  if (input['dry_run'] === true || input['dryRun'] === true) return [];
  if (tool === 'patch') {
    const texts = Object.values(input).filter((one) => typeof one === 'string');
    return texts.flatMap((text) => Array.from(text.matchAll(PATCHED), ({ groups }) => groups?.['path']?.trim() ?? ''));
  }
  if (tool === undefined || !CHANGING.includes(tool)) return [];
  return PATHS.map((name) => input[name]).filter((one) => typeof one === 'string');
}

/** Describes the calls of a run. A tool that the run does not have is not to be called again. */
export function callEffects(tools: Readonly<Record<string, AgentTool>>): DescribeCall {
  return ({ toolName, input }) => {
    const tool = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
    const isRepeatable = tool?.annotations.readOnlyHint ?? false;
    if (!isObject(input)) return { isRepeatable };
    const name = toolNameOf(toolName);
    const command = name === undefined ? COMMANDS.map((one) => input[one]).find((one) => one !== undefined) : undefined;
    return { isRepeatable, files: filesOf(name, input), ...(typeof command === 'string' && { command }) };
  };
}
