import { toolOfName } from '@cairn/coding-agent/internal';
import type { NamingProfile } from '@cairn/coding-agent';
import { ContextError, type AgentDefinition } from '@cairn/context';
import { nearNames } from '@cairn/tool/internal';
import type { ShownPart } from '@cairn/tool';
import type { Rule } from '../approvals/rule.ts';
import { quote } from './refusal.ts';
import { cairnTools, toolNameOf } from '../tool-names.ts';

/** What a run may call. A run that it delegates to may call no more. */
export interface ToolGrant {
  /** The names that the model sees; `undefined` for all tools. */
  readonly names?: ReadonlySet<string> | undefined;
  /** The agents that the run, and the runs that it delegates to, may start; `undefined` for all. */
  readonly agents?: ReadonlySet<string> | undefined;
  /** Whether only tools that change nothing are allowed. */
  readonly readOnly: boolean;
  /** What the run is shown besides its conversation; `undefined` for everything. */
  readonly shows?: ReadonlySet<ShownPart> | undefined;
  /** Whether the run sees the whole conversation of main. A run that does not can start none that sees any of it. */
  readonly readsMain: boolean;
  /** The rules that the definitions of the chain add to those of the approvals. @default none */
  readonly rules?: readonly Rule[] | undefined;
}

/** Returns the tools that a definition allows, named in any profile; an exact name comes first. @throws {ContextError} `INVALID_DEFINITION` */
export function allowedTools(
  definition: Pick<AgentDefinition, 'name' | 'tools' | 'source' | 'path'>,
  offered: readonly string[],
  naming: NamingProfile,
): { readonly names?: ReadonlySet<string> | undefined; readonly notices: readonly string[] } {
  const { name: agent, tools, source, path } = definition;
  if (tools === undefined) return { notices: [] };
  const names = new Set<string>();
  const notices: string[] = [];
  for (const given of tools) {
    const own = toolNameOf(given, offered);
    const found = offered.includes(given)
      ? [given]
      : offered.filter((name) => own !== undefined && (name === own || toolOfName(name, naming) === own));
    for (const name of found) names.add(name);
    if (found.length > 0) continue;
    if (own === undefined && source !== 'claude-project' && source !== 'claude-user') {
      const known = [...new Set([...offered, ...cairnTools])];
      const near = nearNames(given, known);
      const hint = near.length > 0 ? `Did you mean ${near.join(', ')}?` : `The tools are ${known.join(', ')}.`;
      const summary = `The agent ${agent} names the tool ${quote(given)}, which does not exist`;
      throw new ContextError('INVALID_DEFINITION', [summary, hint], { path });
    }
    notices.push(`The tool ${quote(given)} of the agent ${agent} is not available here.`);
  }
  return { names, notices };
}

/** Returns the part that both allow. `undefined` allows everything. */
export function intersect<T>(
  one: ReadonlySet<T> | undefined,
  other: ReadonlySet<T> | undefined,
): ReadonlySet<T> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return new Set([...one].filter((name) => other.has(name)));
}
