import type { AgentDefinition, DefinitionSource } from '@cairn/context';
import type { Approvals } from './approvals.ts';
import type { Rule, RuleSource } from './rule.ts';

type RuledDefinition = Pick<AgentDefinition, 'name' | 'permissions' | 'allow' | 'ask' | 'deny' | 'source' | 'path'>;

/** The rules that a mode of permissions stands for. */
const MODE_RULES: Readonly<Record<string, Omit<RuleSource, 'source'>>> = {
  ask: { ask: ['*'] },
  acceptEdits: { allow: ['write', 'edit', 'patch', 'delete', 'rename'] },
  bypassPermissions: { allow: ['*'] },
};

/** The modes of permissions that allow something, with the rules that each stands for. */
export function rulesOfMode(mode: string): Omit<RuleSource, 'source'> {
  return MODE_RULES[mode] ?? {};
}

/** Returns whether a definition of this source comes with the project: everybody who can change the repository may have written it. */
export function isFromProject(source: DefinitionSource | undefined): boolean {
  return source === 'project' || source === 'claude-project';
}

/**
 * Returns the rules that a definition adds to those of its run. A definition of the project, and an agent that another one starts, can
 * only narrow them.
 *
 * @throws {AgentError} `INVALID_RULE`
 */
export function definitionRules(
  agent: RuledDefinition,
  { approvals, isDelegated }: { readonly approvals: Approvals; readonly isDelegated: boolean },
): { readonly rules: readonly Rule[]; readonly notices: readonly string[] } {
  const { name, permissions = '', path } = agent;
  const source = path ?? `the definition of ${name}`;
  const mode = rulesOfMode(permissions);
  const merged = (['allow', 'ask', 'deny'] as const).map(
    (verdict) => [verdict, [...(mode[verdict] ?? []), ...(agent[verdict] ?? [])]] as const,
  );
  const lists = Object.fromEntries(merged) as Required<Omit<RuleSource, 'source'>>;
  // Also those that are not used: a mistake in them is one.
  const rules = approvals.readRules({ source, ...lists });
  if (lists.allow?.length === 0) return { rules, notices: [] };
  const isOwn = !isFromProject(agent.source);
  if (isOwn && !isDelegated) return { rules, notices: [] };
  const fields = [...(mode.allow ? [`permissions: ${permissions}`] : []), ...(agent.allow?.length ? ['allow'] : [])];
  const why = isOwn ? 'it was started by another agent, so it' : 'its definition comes with the project, so it';
  const notice = `The agent ${name} runs without ${fields.join(' and ')}: ${why} can only narrow what is allowed.`;
  return { rules: rules.filter(({ verdict }) => verdict !== 'allow'), notices: [notice] };
}
