import { escapeControls, quotePath } from '@cairn/tool/paths';
import { ContextError } from '../errors.ts';
import type { AgentDefinition, DefinitionProblem } from './definition.ts';
import type { AgentDefinitions } from './load-definitions.ts';
import { nearNames } from '@cairn/tool/internal';

/** Returns a problem as one line: `path:line: field: what is wrong; what to do`. */
export function formatProblem({ path, line, field, message }: DefinitionProblem): string {
  const place = line === undefined ? quotePath(path) : `${quotePath(path)}:${line}`;
  return `${place}: ${field === undefined ? '' : `${escapeControls(field)}: `}${message}`;
}

/**
 * Returns the definition of an agent.
 *
 * @throws {ContextError} `UNKNOWN_AGENT` with near names; `INVALID_DEFINITION` when the file that defines it is broken.
 */
export function findAgent(
  { agents, problems }: Pick<AgentDefinitions, 'agents' | 'problems'>,
  name: string,
): AgentDefinition {
  const definition = agents.get(name.normalize('NFC'));
  if (definition !== undefined) return definition;
  const errors = problems.filter(({ severity, agent }) => severity === 'error' && agent === name.normalize('NFC'));
  const [first] = errors;
  if (first !== undefined) {
    const where = errors.filter(({ path }) => path === first.path).map(formatProblem);
    const summary = `The definition of the agent ${name} is invalid: ${where.join(', ')}`;
    throw new ContextError('INVALID_DEFINITION', [summary, 'Correct the file, then try again.'], { path: first.path });
  }
  const shown = escapeControls(JSON.stringify(name));
  const near = nearNames(name, agents.keys());
  const names = [...agents.keys()];
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(', ')}?`
      : names.length > 0
        ? `The agents are ${names.slice(0, 20).join(', ')}${names.length > 20 ? ` and ${names.length - 20} more` : ''}.`
        : 'No agent is defined: create one with `cairn agents new`.';
  throw new ContextError('UNKNOWN_AGENT', [`There is no agent ${shown}`, hint]);
}
