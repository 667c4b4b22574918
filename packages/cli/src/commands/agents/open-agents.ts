import { randomUUID } from 'node:crypto';
import { relative, resolve } from 'node:path';
import type { Agents, Approvals } from '@cairn/agents';
import type { AgentDefinitions, ContextManager } from '@cairn/context';
import type { Memory } from '@cairn/memory';
import type { ShownPart, ToolSet } from '@cairn/tool';
import { CommandError, UsageError } from '../../terminal/errors.ts';
import { withOwnHints } from '../../terminal/own-hints.ts';
import { useEnvironmentProxy } from '../../terminal/proxy.ts';
import { filled, oneOf, stateOption, wholeNumber, wordsOf, type ParserOf } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import type { SessionOwner } from '../../terminal/session-owner.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { knowledgeToolSet, openExistingKnowledge, type KnowledgeToolSetOptions } from '../knowledge/open.ts';
import { languageOption, projectOption, storeOptions } from '../memory/options.ts';
import { NO_OWN_PROJECT, openMemory } from '../memory/store.ts';
import { modeOption } from './modes.ts';
import { projectRoot, rootOption } from './project.ts';

/** The parts of a prompt that can be left out, besides the prompt and the history. */
const partNames: readonly ShownPart[] = ['facts', 'knowledge', 'tree', 'instructions'];

export const partsOf: ParserOf<readonly ShownPart[]> = wordsOf(oneOf(partNames));

export function withoutOf({ without = [], knowledge }: Pick<RequestFlags, 'without' | 'knowledge'>): ShownPart[] {
  return [...without, ...(knowledge ? [] : (['knowledge'] as const))];
}

export function historyOptions(standard: string) {
  return [
    ['--session <name>', `session to continue or begin (default: ${standard})`, filled, { conflicts: 'resume' }],
    ['--resume', 'continue the newest session of the project'],
  ] as const;
}

export const placeOptions = [rootOption, projectOption, ...storeOptions] as const;

export const requestOptions = [
  modeOption('set by the definition'),
  ...historyOptions("this terminal's, else a new one"),
  [
    '--new',
    'begin another session, which later runs in this terminal continue',
    undefined,
    { conflicts: ['session', 'resume'] },
  ],
  [
    '--without <parts>',
    `leave out parts of the prompt, and the tools about them: ${partNames.join(', ')}, separated by commas`,
    partsOf,
  ],
  ['--no-knowledge', 'the same as --without knowledge'],
  ['--read-only', 'offer only tools that change nothing'],
  [
    '--max-context-tokens <n>',
    'tokens of the conversation and the prompt in a request (default: 32,000)',
    wholeNumber({ minimum: 1 }),
  ],
  languageOption('language of the texts around the prompt: en or zh (default: en)'),
] as const;

export const modelOptions = [
  ['--model <id>', 'model (default: set by the definition, else CAIRN_MODEL)', filled],
  ['--base-url <url>', 'URL of a server with the OpenAI API (default: CAIRN_BASE_URL)', filled],
  stateOption,
] as const;

export type HistoryFlags = FlagsOf<typeof placeOptions> &
  FlagsOf<ReturnType<typeof historyOptions>> & { readonly new?: boolean };

/** The flags of a request. Only a run has a model. */
export type RequestFlags = FlagsOf<typeof requestOptions> & HistoryFlags & FlagsOf<typeof modelOptions>;

/** The code of the error when there is no session to continue. */
export const UNKNOWN_SESSION = 'UNKNOWN_SESSION';

/** The store that has the sessions of a project. */
interface OpenedStore {
  /** Absent when the store does not exist, and nothing is to be written. */
  readonly stored: Memory | undefined;
  readonly root: string;
  /** Grows when something is not readable. */
  readonly notices: string[];
  readonly close: () => Promise<void>;
}

/** Opens the store of a project. Only with `writes` a missing one is created. */
export async function openStore(
  context: CommandContext,
  flags: HistoryFlags,
  { writes }: { readonly writes: boolean },
): Promise<OpenedStore> {
  const root = projectRoot(context, flags);
  const notices: string[] = [];
  const note = (notice: string): void => {
    if (!notices.includes(notice)) notices.push(notice);
  };
  const { memory, isAbsent } = await openMemory(context, flags, {
    directory: root,
    onUnreadable: note,
    onNotice: note,
  });
  if (memory.project === undefined) throw new UsageError(NO_OWN_PROJECT, 'use --project <name>');
  const stored = writes || !isAbsent() ? memory : undefined;
  return { stored, root, notices, close: () => memory.close() };
}

interface OpenHistoriesOptions {
  /** Whether a missing store is created, and a session begun. */
  readonly writes: boolean;
  /** Without an option and a session of this terminal: the newest session of the project, instead of a new one. @default false */
  readonly orNewest?: boolean;
}

/** The session of a run. */
interface ChosenSession {
  /** Absent: a new one, which nothing continues by itself. */
  readonly session: string | undefined;
  /** Whether it has no message yet. */
  readonly isNew: boolean;
  /** The owner whose next run continues it. Absent for none, and for a session that an option names. */
  readonly owner?: SessionOwner['kind'] | undefined;
}

/** Returns the session that the options name, or else of the terminal, or of the parent process where there is none. */
async function sessionOf(
  { owner: ownerOf }: Pick<CommandContext, 'owner'>,
  { session: named, resume = false, new: isNew = false }: HistoryFlags,
  { stored, writes, orNewest = false }: OpenHistoriesOptions & Pick<OpenedStore, 'stored'>,
): Promise<ChosenSession> {
  const { continueSession, listSessions, sessionOfOwner } = await import('@cairn/context');
  const known = async () => (stored === undefined ? [] : listSessions({ store: stored }));
  if (named !== undefined) {
    // As names of agents: the same on every keyboard.
    const name = named.normalize('NFC');
    return { session: name, isNew: !(await known()).some(({ session }) => session === name) };
  }
  if (!resume) {
    const owner = ownerOf?.();
    const place = owner && stored && { store: stored, owner: owner.id };
    if (place && writes) return { ...(await continueSession({ ...place, isNew })), owner: owner.kind };
    const session = place && !isNew ? await sessionOfOwner(place) : undefined;
    if (session !== undefined || !orNewest) return { session, isNew: session === undefined, owner: owner?.kind };
  }
  const [newest] = await known();
  if (newest !== undefined) return { session: newest.session, isNew: false };
  const message = 'there is no session of this project to continue';
  throw new CommandError({ code: UNKNOWN_SESSION, message, fix: 'leave out --resume to begin one' });
}

/** The histories of a session, and the store that has them. */
interface OpenedHistories extends OpenedStore, Omit<ChosenSession, 'session'> {
  readonly contexts: ContextManager;
}

export async function openHistories(
  context: CommandContext,
  flags: HistoryFlags,
  options: OpenHistoriesOptions,
): Promise<OpenedHistories> {
  const opened = await openStore(context, flags, options);
  const { stored } = opened;
  const { ContextManager, openContexts } = await import('@cairn/context');
  try {
    const { session: name, ...chosen } = await sessionOf(context, flags, { ...options, stored });
    const contexts = stored === undefined ? new ContextManager() : await openContexts({ store: stored, session: name });
    const close = async (): Promise<void> => {
      await contexts.close();
      await opened.close();
    };
    return { ...opened, ...chosen, contexts, close };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** What the tools of a run are made from. */
interface ToolSetsOptions extends Pick<OpenedStore, 'stored'> {
  /** @default the user's own */
  readonly stateDir: string | undefined;
  readonly knowledge: KnowledgeToolSetOptions;
}

/** The tools of a run. They share the memory of the histories. */
export async function toolSetsOf(
  context: Pick<CommandContext, 'env' | 'cwd' | 'command' | 'agentCommand'>,
  { stored, stateDir, knowledge }: ToolSetsOptions,
): Promise<ToolSet[]> {
  const stateDirectory = stateDir === undefined ? undefined : resolve(context.cwd, stateDir);
  const [{ createCodingToolSet }, { createWorkspaceCacheToolSet }, { memoryToolSet }] = await Promise.all([
    import('@cairn/coding-agent'),
    import('@cairn/workspace-cache/tools'),
    import('@cairn/memory/tools'),
  ]);
  const open = async (): Promise<Memory> => {
    if (stored === undefined) throw new Error('the store does not exist');
    // The caller closes it: the histories are in it, too.
    return { ...stored, close: () => Promise.resolve(), [Symbol.asyncDispose]: () => Promise.resolve() };
  };
  const sets = [
    createCodingToolSet({ stateDirectory }),
    createWorkspaceCacheToolSet({ journalDirectory: stateDirectory }),
    await knowledgeToolSet(context, knowledge),
    memoryToolSet({ open, process: randomUUID() }),
  ];
  return sets.map((set) => withOwnHints(set, context.agentCommand ?? context.command));
}

/** Agents, with their histories. */
export interface OpenedAgents extends OpenedHistories {
  readonly agents: Agents;
}

interface WithAgentsOptions {
  readonly definitions: AgentDefinitions;
  readonly writes: boolean;
  /** Absent where nothing runs. */
  readonly approvals?: Approvals | undefined;
}

/** Opens everything that a run needs, calls `use`, and closes it. */
export async function withAgents<T>(
  context: CommandContext,
  flags: RequestFlags,
  { definitions, writes, approvals }: WithAgentsOptions,
  use: (opened: OpenedAgents) => Promise<T>,
): Promise<T> {
  const histories = await openHistories(context, flags, { writes });
  try {
    const [{ createAgents }, { createWorkspaceCache }] = await Promise.all([
      import('@cairn/agents'),
      import('@cairn/workspace-cache'),
    ]);
    const { contexts, stored, root, notices } = histories;
    const { env, cwd } = context;
    const { language, stateDir } = flags;
    useEnvironmentProxy(env);
    const workspaceCache = createWorkspaceCache({
      root,
      language,
      onWarning: ({ message }) => void notices.push(message),
    });
    const knowledge = withoutOf(flags).includes('knowledge')
      ? undefined
      : await openExistingKnowledge(context, { onNotice: (notice) => void notices.push(notice) });
    const agents = createAgents({
      root,
      directory: relative(root, cwd).startsWith('..') ? root : cwd,
      contexts,
      definitions,
      baseUrl: flags.baseUrl,
      env,
      toolSets: await toolSetsOf(context, { stored, stateDir, knowledge: { language, shared: knowledge } }),
      readOnly: flags.readOnly,
      approvals,
      memory: stored,
      knowledge,
      workspaceCache,
      language,
      maxContextTokens: flags.maxContextTokens,
    });
    try {
      return await use({ ...histories, agents });
    } finally {
      await agents.close();
      await workspaceCache.close();
      await knowledge?.close();
    }
  } finally {
    await histories.close();
  }
}
