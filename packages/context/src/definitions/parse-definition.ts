import { basename } from 'node:path';
import { fromClaude } from './claude.ts';
import { agentNameProblem } from './definition.ts';
import type { AgentDefinition, DefinitionProblem, DefinitionSource, ProblemPlace, Report } from './definition.ts';
import { fieldNames, fieldProblem, isFieldName, shownValue, type FieldName } from './fields.ts';
import { hasFrontMatter, parseFrontMatter, type FrontMatterField } from './front-matter.ts';
import { nearNames } from '@cairn/tool/internal';

/** The tools that definitions may name. */
export interface ToolNaming {
  /** Returns our name of a tool, from a name of any naming profile; `undefined` for an unknown tool. Default: every name is valid. */
  readonly toolNameOf?: ((name: string) => string | undefined) | undefined;
  /** Our names of all tools, for the report of an unknown one. @default none */
  readonly toolNames?: readonly string[] | undefined;
}

export interface ParseDefinitionOptions extends ToolNaming {
  readonly path: string;
  readonly source: DefinitionSource;
}

/** A definition, unless an error prevents it. */
export interface ParsedDefinition {
  /** The name that the file defines, or would define. */
  readonly agent: string;
  readonly definition?: AgentDefinition;
  /** In the order of their lines. */
  readonly problems: readonly DefinitionProblem[];
}

type Values = { -readonly [Name in FieldName]?: AgentDefinition[Name] };

function toolsOf(names: readonly string[], naming: ToolNaming, place: ProblemPlace, report: Report): string[] {
  const { toolNameOf = (name: string) => name, toolNames = [] } = naming;
  const tools = names.map((name) => {
    const tool = toolNameOf(name);
    if (tool === undefined) {
      const near = nearNames(name, toolNames);
      const known = toolNames.length === 0 ? 'correct the name, or remove it' : `the tools are ${toolNames.join(', ')}`;
      const advice = near.length === 0 ? known : `did you mean ${near.join(', ')}?`;
      report('error', `unknown tool ${shownValue(name)}; ${advice}`, place);
    }
    return tool;
  });
  return [...new Set(tools.filter((tool) => tool !== undefined))];
}

function readFields(fields: readonly FrontMatterField[], naming: ToolNaming, report: Report): Values {
  const values: Record<string, unknown> = {};
  for (const { name, value, line } of fields) {
    const place = { line, field: name };
    if (isFieldName(name)) {
      const problem = fieldProblem(name, value);
      if (problem !== undefined) report('error', problem, place);
      else if (name === 'tools') values[name] = toolsOf(value as readonly string[], naming, place, report);
      else values[name] = typeof value === 'string' ? value.trim().normalize('NFC') : value;
    } else {
      const [near] = nearNames(name, fieldNames);
      const advice = near === undefined ? `the fields are ${fieldNames.join(', ')}` : `did you mean ${near}?`;
      report('error', `unknown field; ${advice}`, place);
    }
  }
  // The model of the caller, as Claude Code writes it.
  if (values['model'] === 'inherit') delete values['model'];
  return values;
}

/** Reports what makes a valid file less useful than its author expects. */
function reviewDefinition(
  definition: AgentDefinition,
  lineOf: (field: string) => number | undefined,
  report: Report,
): void {
  const { name, description, systemPrompt, contextMode, sharePatterns = [], source = '', path = '' } = definition;
  const fileName = nameOfFile(path);
  if (name !== fileName && !source.startsWith('claude')) {
    const message = `the agent is named ${shownValue(name)}, its file ${shownValue(fileName)}; give both the same name`;
    report('warning', message, { line: lineOf('name'), field: 'name' });
  }
  if (description === '') {
    const message = 'no description; state in one sentence when to use the agent, for those who choose one';
    report('warning', message, { line: lineOf('description'), field: 'description' });
  }
  if (contextMode === 'selective' && sharePatterns.length === 0) {
    const message = 'selective shows nothing of the main conversation without sharePatterns; add sharePatterns';
    report('warning', message, { line: lineOf('contextMode'), field: 'contextMode' });
  }
  if (systemPrompt === '') {
    report('warning', 'no text after the front matter; write there what the agent is to do');
  }
}

export function nameOfFile(path: string): string {
  return basename(path).replace(/\.md$/iu, '').normalize('NFC');
}

/** Reads the text of a file that defines an agent. Every problem is reported with its line and field. */
export function parseDefinition(text: string, options: ParseDefinitionOptions): ParsedDefinition {
  const { path, source, toolNameOf = (name: string) => name } = options;
  const problems: Omit<DefinitionProblem, 'agent'>[] = [];
  const report: Report = (severity, message, place) => problems.push({ severity, source, path, ...place, message });
  const hasErrors = (): boolean => problems.some(({ severity }) => severity === 'error');

  const isClaude = source.startsWith('claude');
  if (isClaude && !hasFrontMatter(text)) {
    // Claude Code ignores such a file too: it may be a README.
    report('warning', 'no front matter, so it defines no agent; it is ignored');
    return { agent: nameOfFile(path), problems };
  }
  const { fields, body } = parseFrontMatter(text, isClaude, report);
  // Values that YAML could not read are not reviewed: their errors would only follow from those of YAML.
  const readable = hasErrors() ? fields.filter(({ name }) => name === 'name') : fields;
  const values = readFields(isClaude ? fromClaude(readable, toolNameOf, report) : readable, options, report);

  const agent = values.name ?? nameOfFile(path);
  if (!hasErrors() && values.name === undefined) {
    const problem = agentNameProblem(agent);
    if (problem !== undefined)
      report('error', `no name, and the name of the file is not valid for an agent: ${problem}`, { field: 'name' });
  }
  const definition: AgentDefinition = { description: '', ...values, name: agent, systemPrompt: body, source, path };
  const isValid = !hasErrors();
  if (isValid) reviewDefinition(definition, (name) => fields.find((field) => field.name === name)?.line, report);
  return {
    agent,
    ...(isValid && { definition }),
    problems: problems
      .map((problem) => ({ ...problem, agent }))
      .toSorted((one, other) => (one.line ?? Number.MAX_SAFE_INTEGER) - (other.line ?? Number.MAX_SAFE_INTEGER)),
  };
}
