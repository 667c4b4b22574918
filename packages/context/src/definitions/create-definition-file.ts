import { quotePath } from '@cairn/tool/paths';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { checkArguments, ContextError } from '../errors.ts';
import type { AgentDefinition } from './definition.ts';
import { fieldNames } from './fields.ts';
import { boundOf, definitionDirectories, loadDirectory, optionNames } from './load-definitions.ts';
import type { DefinitionPlaces } from './load-definitions.ts';
import { parseDefinition, type ToolNaming } from './parse-definition.ts';
import { leadsOut } from './read-text-file.ts';

export interface CreateDefinitionOptions extends DefinitionPlaces, ToolNaming {
  /** The project's agents, or the user's for all projects. */
  readonly source: 'project' | 'user';
}

/** Returns the text of the file that defines an agent: `parseDefinition` of it gives the same definition. */
export function formatDefinition(definition: AgentDefinition): string {
  const fields = fieldNames.flatMap((name) =>
    definition[name] === undefined ? [] : [[name, definition[name]] as const],
  );
  return `---\n${stringify(Object.fromEntries(fields), { lineWidth: 0 })}---\n\n${definition.systemPrompt.trim()}\n`;
}

function alreadyExists(name: string, path: string): ContextError {
  const summary = `${quotePath(path)} defines the agent ${name} already`;
  return new ContextError('AGENT_EXISTS', [summary, 'Edit that file, or choose another name.'], { path });
}

/**
 * Checks a definition as if a file had it.
 *
 * @throws {ContextError} `INVALID_DEFINITION`.
 */
function checkDefinition(definition: AgentDefinition, naming: ToolNaming): void {
  const path = definition.path ?? `${definition.name}.md`;
  const { problems } = parseDefinition(formatDefinition(definition), { ...naming, source: 'project', path });
  const error = problems.find(({ severity }) => severity === 'error');
  if (error === undefined) return;
  const { field = 'the file', message } = error;
  const [problem = '', ...fixes] = message.split('; ');
  const fix = fixes.join('; ') || 'correct the value';
  const hint = `${fix.charAt(0).toUpperCase()}${fix.slice(1)}${fix.endsWith('?') ? '' : '.'}`;
  const summary = `Invalid definition of an agent: ${field}: ${problem}`;
  throw new ContextError('INVALID_DEFINITION', [summary, hint], { option: error.field });
}

/** @throws {ContextError} `INVALID_INPUT` when a part of the path is a file. */
async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
    let file = directory;
    while (!existsSync(file) && dirname(file) !== file) file = dirname(file);
    const problem = [`${quotePath(file)} is not a directory`, 'Move that file. Nothing was written.'] as const;
    throw new ContextError('INVALID_INPUT', problem, { path: file, cause: error });
  }
}

/**
 * Writes the file that defines an agent, and returns its path. It never replaces a file.
 *
 * @throws {ContextError} `INVALID_DEFINITION`; `INVALID_INPUT` when the directory is a link out of the project, or below a file; `AGENT_EXISTS` when a
 *   file of this source has the name, valid or not.
 */
export async function createDefinitionFile(
  definition: AgentDefinition,
  given: CreateDefinitionOptions,
): Promise<string> {
  checkArguments.options('createDefinitionFile', given, { source: 'required', ...optionNames });
  const { source, toolNameOf, toolNames } = given;
  checkDefinition(definition, { toolNameOf, toolNames });
  const directory = definitionDirectories(given)[source];
  const path = join(directory, `${definition.name}.md`);
  const within = boundOf(source, given);
  if (within !== undefined && (await leadsOut(directory, within))) {
    const summary = `${quotePath(directory)} is a link out of the project, so its agents are not read`;
    throw new ContextError('INVALID_INPUT', [summary, 'Replace the link with a directory. Nothing was written.'], {
      path: directory,
    });
  }
  const { definitions, problems } = await loadDirectory(directory, { source, within });
  const existing = [
    ...definitions.map((other) => ({ agent: other.name, path: other.path ?? directory })),
    ...problems,
  ].find(({ agent }) => agent === definition.name);
  if (existing !== undefined) throw alreadyExists(definition.name, existing.path);
  await makeDirectory(directory);
  try {
    await writeFile(path, formatDefinition(definition), { flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw alreadyExists(definition.name, path);
    // A part of a definition would be another definition.
    await rm(path, { force: true });
    throw error;
  }
  return path;
}
