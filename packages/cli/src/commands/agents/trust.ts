import type { UserRules } from '@cairn/agents';
import type { AgentDefinition, AgentDefinitions } from '@cairn/context';
import { quotePath } from '@cairn/tool/paths';
import { askPerson, askYesNo } from '../../terminal/ask.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { CommandError } from '../../terminal/errors.ts';
import { escapeLine } from '../../terminal/text.ts';

/** Something that comes with a repository, by its content. */
export interface TrustItem {
  readonly hash: string;
  readonly name: string;
  readonly path: string;
  /** What it may do, for the question. */
  readonly may: string;
}

export interface TrustOptions {
  readonly trust?: boolean | undefined;
  /** Whether a person can be asked. */
  readonly canAsk: boolean;
  /** Whether a yes is recorded. @default true */
  readonly isRecorded?: boolean | undefined;
  readonly onNotice: (notice: string) => void;
}

/** Returns the tools and rules of a definition, for the question. */
function mayOf({ tools, permissions, allow = [], ask = [], deny = [] }: AgentDefinition): string {
  const which = tools === undefined ? 'every tool' : tools.length === 0 ? 'no tool' : tools.join(', ');
  const what = permissions === 'plan' ? `${which} that changes nothing` : which;
  const rules = Object.entries({ allow, ask, deny }).flatMap(([name, list]) =>
    list.length === 0 ? [] : [`${name} ${list.join(', ')}${name === 'allow' ? ' (not used)' : ''}`],
  );
  return [`may call ${what}`, ...rules].join('; ');
}

export async function agentItem(definition: AgentDefinition): Promise<TrustItem> {
  const { trustHash } = await import('@cairn/agents');
  const { path = '', source: _, ...content } = definition;
  return {
    hash: trustHash({ kind: 'agent', ...content }),
    name: `agent ${definition.name}`,
    path,
    may: mayOf(definition),
  };
}

function questionOf(items: readonly TrustItem[]): string {
  const lines = [
    'These come with the repository, and you have not trusted them as they are now:',
    ...items.map(({ name, path, may }) => `  ${name} (${quotePath(path)}): ${may}`),
    'What they change and run still needs your approval or a rule. A change of these files asks again; a change of what they',
    'load or start, such as a script or another module, does not.',
  ];
  return lines.map((line) => escapeLine(line)).join('\r\n');
}

/** Records that contents are trusted. A record that cannot be written asks again. */
export async function recordTrust(
  rules: UserRules,
  items: readonly TrustItem[],
  onNotice: (notice: string) => void,
): Promise<void> {
  try {
    await rules.trust(items);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    onNotice(`the trust counts for this command only, because it could not be recorded: ${why}`);
  }
}

/** Returns the items that the user does not trust: those that no record, no flag and no answer allows. */
export async function untrustedOf(
  context: CommandContext,
  rules: UserRules,
  items: readonly TrustItem[],
  { trust = false, canAsk, isRecorded = true, onNotice }: TrustOptions,
): Promise<readonly TrustItem[]> {
  const unknown = items.filter(({ hash }) => !rules.isTrusted(hash));
  if (unknown.length === 0) return [];
  const isTrusted =
    trust ||
    (canAsk &&
      (await askPerson(context, async (prompter, terminal) => {
        await prompter.discardTyped();
        terminal.write(`${questionOf(unknown)}\r\n`);
        return askYesNo(prompter, 'Trust them?');
      })) === true);
  if (!isTrusted) return unknown;
  if (isRecorded) await recordTrust(rules, unknown, onNotice);
  return [];
}

export function notTrusted({ name, path }: TrustItem): CommandError {
  return new CommandError({
    code: 'NOT_TRUSTED',
    message: `the ${name} comes with the repository (${quotePath(path)}), and you have not trusted it as it is now`,
    fix: 'read it, then run this in a terminal and answer the question, or add --trust',
    path,
  });
}

/** Whether an agent may start others. */
function delegates({ tools }: AgentDefinition): boolean {
  return tools === undefined || tools.includes('agent');
}

/** Returns a notice for each definition of the project that hides one of the user's. */
function hiddenNotices({ replaced }: AgentDefinitions, agents: readonly AgentDefinition[]): string[] {
  return agents.flatMap(({ name, path = '' }) =>
    replaced
      .filter((other) => other.name === name && (other.source === 'user' || other.source === 'claude-user'))
      .map(
        (other) =>
          `the agent ${name} of this project (${quotePath(path)}) hides yours (${quotePath(other.path ?? '')})`,
      ),
  );
}

/** Returns the definitions that may run, without those of the project that the user does not trust. */
export async function trustedDefinitions(
  context: CommandContext,
  rules: UserRules,
  definitions: AgentDefinitions,
  options: TrustOptions & { readonly agents: readonly AgentDefinition[] },
): Promise<{ readonly definitions: AgentDefinitions; readonly untrusted: readonly TrustItem[] }> {
  const { isFromProject } = await import('@cairn/agents');
  const foreign = options.agents.filter(({ source }) => isFromProject(source));
  for (const notice of hiddenNotices(definitions, foreign)) options.onNotice(notice);
  const items = new Map(await Promise.all(foreign.map(async (one) => [one.name, await agentItem(one)] as const)));
  const untrusted = await untrustedOf(context, rules, [...items.values()], options);
  const trusted = [...definitions.agents].filter(([name]) => {
    const item = items.get(name);
    return item === undefined || !untrusted.includes(item);
  });
  return { definitions: { ...definitions, agents: new Map(trusted) }, untrusted };
}

/** Asks about the agents of the project that a run can start. @throws {CommandError} `NOT_TRUSTED` for the agent itself */
export async function requireTrust(
  context: CommandContext,
  rules: UserRules,
  {
    agent,
    definitions,
    ...options
  }: TrustOptions & { readonly agent: AgentDefinition; readonly definitions: AgentDefinitions },
): Promise<AgentDefinitions> {
  const others = delegates(agent) ? [...definitions.agents.values()].filter(({ name }) => name !== agent.name) : [];
  const found = await trustedDefinitions(context, rules, definitions, { ...options, agents: [agent, ...others] });
  const { hash } = await agentItem(agent);
  const own = found.untrusted.find((item) => item.hash === hash);
  if (own !== undefined) throw notTrusted(own);
  if (found.untrusted.length > 0) {
    const names = found.untrusted.map(({ name }) => name).join(', ');
    options.onNotice(`not offered, because you have not trusted it as it is now: ${names}; --trust allows it`);
  }
  return found.definitions;
}
