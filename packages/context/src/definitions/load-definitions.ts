import { checkArguments } from '../errors.ts';
import { isMissing, type OptionNames } from '@cairn/tool/kernel';
import { projectDirectory, quotePath, userDirectories } from '@cairn/tool/paths';
import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { AgentDefinition, DefinitionProblem, DefinitionSource } from './definition.ts';
import { nameOfFile, parseDefinition } from './parse-definition.ts';
import type { ParsedDefinition, ParseDefinitionOptions, ToolNaming } from './parse-definition.ts';
import { explainUnreadable, leadsOut, readTextFile } from './read-text-file.ts';

/** A definition is a prompt: a larger file is something else. */
const MAX_FILE_BYTES = 256 * 1024;
const MAX_FILES = 1000;
const MAX_DEPTH = 4;

const LEADS_OUT = 'is a link out of the project, so its agents are not read; put the directory into the project';

/**
 * Returns the project that links of a source must not lead out of. The user's own links may lead anywhere, even where the project is
 * the home directory.
 */
export function boundOf(source: DefinitionSource, places: DefinitionPlaces): string | undefined {
  const directories = definitionDirectories(places);
  const isUsers = [directories.user, directories['claude-user']].includes(directories[source]);
  return isUsers ? undefined : places.root;
}

/** The project and the user of the definitions. Nothing is read from the process. */
export interface DefinitionPlaces {
  /** The root of the project. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The home directory, absolute. */
  readonly home: string;
  /** @default process.platform */
  readonly platform?: NodeJS.Platform | undefined;
}

export interface LoadDefinitionsOptions extends DefinitionPlaces, ToolNaming {}

export const optionNames: OptionNames<LoadDefinitionsOptions> = {
  toolNameOf: 'optional',
  toolNames: 'optional',
  root: 'required',
  env: 'required',
  home: 'required',
  platform: 'optional',
};

/** The agents of a project and its user. */
export interface AgentDefinitions {
  /** By name. Only valid ones. */
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** The problems of all files, used or not: in the order of the sources, of the paths and of the lines. */
  readonly problems: readonly DefinitionProblem[];
  /** Definitions that are not used, because one of an earlier source has their name. */
  readonly replaced: readonly AgentDefinition[];
}

/** Returns the directories with definitions, the first one that has a name wins. They need not exist. */
export function definitionDirectories(places: DefinitionPlaces): Readonly<Record<DefinitionSource, string>> {
  const { root, env, home, platform = process.platform } = places;
  const claude = env['CLAUDE_CONFIG_DIR'];
  return {
    project: join(projectDirectory(root), 'agents'),
    user: join(userDirectories({ env, home, platform }).config, 'agents'),
    'claude-project': join(root, '.claude', 'agents'),
    'claude-user': join(claude !== undefined && isAbsolute(claude) ? claude : join(home, '.claude'), 'agents'),
  };
}

interface Listing {
  readonly files: string[];
  readonly problems: DefinitionProblem[];
}

/** Lists the Markdown files of a directory and of those in it, in the order of their names. Links to directories are not followed. */
async function listFiles(directory: string, source: DefinitionSource, found: Listing, depth = 1): Promise<void> {
  const report = (message: string): number =>
    found.problems.push({ severity: 'error', source, path: directory, message });
  let entries;
  try {
    entries = await readdir(directory, { withFileTypes: true });
  } catch (error) {
    // Something else may have the place of the directory.
    const isAbsent = isMissing(error) && (await stat(directory).then(() => false, isMissing));
    if (depth > 1 || !isAbsent) report(explainUnreadable(error).problem);
    return;
  }
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (/\.md$/iu.test(entry.name)) {
      if (found.files.length === MAX_FILES) {
        report(`more than ${MAX_FILES} files; the others are not read: remove files`);
        return;
      }
      found.files.push(path);
    } else if (entry.isDirectory()) {
      if (depth < MAX_DEPTH) await listFiles(path, source, found, depth + 1);
      else report(`directories deeper than ${MAX_DEPTH} are not read; move their files up`);
    }
  }
}

interface DirectoryOptions extends Omit<ParseDefinitionOptions, 'path'> {
  /** Absent for directories of the user, whose links lead where the user wants. */
  readonly within?: string | undefined;
}

async function readDefinition({
  within,
  ...options
}: ParseDefinitionOptions & DirectoryOptions): Promise<ParsedDefinition> {
  const { path, source } = options;
  const agent = nameOfFile(path);
  const broken = (message: string, line?: number): ParsedDefinition => ({
    agent,
    problems: [{ severity: 'error', source, path, line, message, agent }],
  });
  if (within !== undefined && (await leadsOut(path, within))) {
    return broken('is a link out of the project; put the file into the project');
  }
  const file = await readTextFile(path, { maxBytes: MAX_FILE_BYTES });
  return 'text' in file ? parseDefinition(file.text, options) : broken(file.problem, file.line);
}

/** A problem for every file with the name of another one of the same source: the intended one is unknown. */
function reportDuplicates(
  parsed: readonly (ParsedDefinition & { path: string })[],
  source: DefinitionSource,
): DefinitionProblem[] {
  return parsed.flatMap(({ agent, path }) => {
    const others = parsed.filter((other) => other.agent === agent && other.path !== path);
    if (others.length === 0) return [];
    const message = `${others.map((other) => quotePath(other.path)).join(', ')} ${others.length === 1 ? 'has' : 'have'} the same name ${agent}; rename or remove all but one`;
    return [{ severity: 'error', source, path, field: 'name', message, agent } as const];
  });
}

function brokenBy(problems: readonly DefinitionProblem[]): string[] {
  return problems.flatMap(({ severity, agent }) => (severity === 'error' && agent !== undefined ? [agent] : []));
}

/** Loads the definitions of one directory. A name that several files have is an error of each of them. */
export async function loadDirectory(
  directory: string,
  options: DirectoryOptions,
): Promise<{ readonly definitions: readonly AgentDefinition[]; readonly problems: readonly DefinitionProblem[] }> {
  const { source, within } = options;
  if (within !== undefined && (await leadsOut(directory, within))) {
    return { definitions: [], problems: [{ severity: 'warning', source, path: directory, message: LEADS_OUT }] };
  }
  const found: Listing = { files: [], problems: [] };
  await listFiles(directory, source, found);
  const parsed = await Promise.all(
    found.files.map(async (path) => ({ path, ...(await readDefinition({ ...options, path })) })),
  );
  const problems = [...found.problems, ...parsed.flatMap((file) => file.problems), ...reportDuplicates(parsed, source)];
  const broken = brokenBy(problems);
  const definitions = parsed.flatMap(({ definition }) =>
    definition && !broken.includes(definition.name) ? [definition] : [],
  );
  return { definitions, problems };
}

/**
 * Loads the agents of a project and its user. The project's `.cairn/agents` come first, then the user's
 * `$XDG_CONFIG_HOME/cairn/agents`, the project's `.claude/agents` and the user's `~/.claude/agents`.
 *
 * A broken file hides no other agent. It keeps its name: no file of a later source takes its place, so that another agent than the
 * one that the user sees never answers.
 */
export async function loadDefinitions(options: LoadDefinitionsOptions): Promise<AgentDefinitions> {
  checkArguments.options('loadDefinitions', options, optionNames);
  const agents = new Map<string, AgentDefinition>();
  const broken = new Set<string>();
  const replaced: AgentDefinition[] = [];
  const directories = new Map<string, DefinitionSource>();
  for (const [source, directory] of Object.entries(definitionDirectories(options))) {
    // In the home directory as a project, two of them are the same.
    if (!directories.has(directory)) directories.set(directory, source as DefinitionSource);
  }
  const { toolNameOf, toolNames } = options;
  const loaded = await Promise.all(
    [...directories].map(([directory, source]) =>
      loadDirectory(directory, { source, within: boundOf(source, options), toolNameOf, toolNames }),
    ),
  );
  for (const source of loaded) {
    for (const definition of source.definitions) {
      if (agents.has(definition.name) || broken.has(definition.name)) replaced.push(definition);
      else agents.set(definition.name, definition);
    }
    for (const name of brokenBy(source.problems)) broken.add(name);
  }
  return { agents, problems: loaded.flatMap((source) => source.problems), replaced };
}
