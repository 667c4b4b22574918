import { expandMentions, sessionWorkspace } from '@cairn/coding-agent';
import {
  createView,
  findAgent,
  labelOf,
  modeOf,
  MODES,
  readProjectInstructions,
  textOf,
  tokensOf,
} from '@cairn/context';
import type {
  AgentDefinition,
  AgentDefinitions,
  ContextMode,
  ContextView,
  UnifiedMessage,
  UserMessage,
} from '@cairn/context';
import type { ToolSession } from '@cairn/tool';
import { estimateTokens } from '@cairn/tool/prompt';
import type { WorkspaceRun } from '@cairn/workspace-cache';
import { AgentError } from '../errors.ts';
import { systemParts, systemText } from '../prompt/system-prompt.ts';
import type { AgentTools } from '../tools/open-agent-tools.ts';
import type { AgentsOptions, PreparedPart, PreparedRequest, PreparedTool, RequestOptions } from './agents.ts';

/** The tools of an agent, and the session that they were opened for. */
export interface OpenedTools extends AgentTools {
  readonly session: ToolSession;
  /** What the model is offered, with its tokens. */
  readonly offered: readonly PreparedTool[];
}

/** What all runs share. */
export interface SharedParts {
  readonly options: AgentsOptions;
  readonly definitions: AgentDefinitions;
  readonly roots: readonly [string, ...string[]];
  readonly openTools: (
    agent: AgentDefinition,
    mode: ContextMode,
    request: Pick<RequestOptions, 'parent' | 'readOnly'>,
  ) => Promise<OpenedTools>;
  readonly workspaceRun: () => Promise<WorkspaceRun | undefined>;
}

/** A request, and what the run needs to go on after it. */
export interface PreparedRun extends PreparedRequest {
  readonly definition: AgentDefinition;
  readonly opened: OpenedTools;
  readonly systemText: string;
  /** What the requests send before the prompt. */
  readonly before: readonly UnifiedMessage[];
  /** The prompt as it is sent: with the files that it mentions and the changes of the workspace. */
  readonly prompt: UserMessage | undefined;
  /** The first run of the chain that this one continues. */
  readonly continues: string | undefined;
}

/** Returns the first run of the chain that a run belongs to. @throws {AgentError} `UNKNOWN_RUN` */
function chainOf(run: string, history: readonly UnifiedMessage[], agent: string): string {
  const found = history.findLast((message) => labelOf(message).run === run);
  if (found !== undefined) return labelOf(found).continues ?? run;
  throw new AgentError('UNKNOWN_RUN', [
    `The history of the agent ${agent} has no run ${JSON.stringify(run)}`,
    'Continue a run of this agent, in the same session and mode, or begin a new one without it.',
  ]);
}

/** The key of the history of the main session. */
const MAIN = '__main__';

interface Histories {
  readonly main: readonly UnifiedMessage[];
  readonly own: readonly UnifiedMessage[];
  readonly continues: string | undefined;
}

/** Returns the histories as they are now. Of a continued run, the own history has its chain only. */
function historiesOf(name: string, mode: ContextMode, options: AgentsOptions, run: string | undefined): Histories {
  const { contexts } = options;
  const main = contexts.getContext(name, 'shared').conversationHistory;
  if (MODES[mode].writes === 'main') {
    return { main, own: [], continues: run === undefined ? undefined : chainOf(run, main, name) };
  }
  const own = contexts.getContext(name, mode).conversationHistory;
  if (run === undefined) return { main, own, continues: undefined };
  const continues = chainOf(run, own, name);
  const chain = own.filter((message) => {
    const label = labelOf(message);
    return label.run === continues || label.continues === continues;
  });
  // A fork reads no history of its own, but continues its run.
  return MODES[mode].reads === 'main'
    ? { main: [...main, ...chain], own: [], continues }
    : { main, own: chain, continues };
}

function checkPrompt(prompt: UserMessage['content']): void {
  const isEmpty = typeof prompt === 'string' ? prompt.trim() === '' : prompt.length === 0;
  if (isEmpty) throw new AgentError('INVALID_INPUT', ['The prompt is empty', 'Write what the agent is to do.']);
}

/** Attaches the files that a prompt mentions. */
async function withMentions(
  prompt: string,
  { roots, options }: SharedParts,
  { session }: OpenedTools,
): Promise<UserMessage['content']> {
  const workspace = sessionWorkspace({ roots, session });
  const naming = options.naming as Parameters<typeof expandMentions>[1]['naming'];
  const { content, mentions } = await expandMentions(prompt, { workspace, naming });
  if (mentions.length === 0) return prompt;
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'text' as const, text: part.text }
      : { type: 'file' as const, mediaType: part.mimeType, data: { type: 'data', data: part.data } },
  );
}

/** Adds the changes of the workspace, unless the agent sees them already. */
function withUpdates(
  content: UserMessage['content'],
  updates: string,
  before: readonly UnifiedMessage[],
): UserMessage['content'] {
  if (updates === '' || before.some((message) => message.role === 'user' && textOf(message).endsWith(updates)))
    return content;
  if (typeof content === 'string') return `${content}\n\n${updates}`;
  return [...content, { type: 'text', text: updates }];
}

/** Makes the request of a run from what there is now: the histories, the facts, the instructions of the project, the tree. */
export async function prepareRun(
  shared: SharedParts,
  request: Omit<RequestOptions, 'prompt'> & Partial<Pick<RequestOptions, 'prompt'>>,
): Promise<PreparedRun> {
  const { options } = shared;
  const { root, contexts, memory, language = 'en', countTokens = estimateTokens, maxContextTokens } = options;
  const { agent } = request;
  const definition = typeof agent === 'string' ? findAgent(shared.definitions, agent) : agent;
  const mode = modeOf(request.mode, definition);
  if (request.prompt !== undefined) checkPrompt(request.prompt);
  const [opened, instructions, facts, workspace] = await Promise.all([
    shared.openTools(definition, mode, request),
    readProjectInstructions({ root, directory: options.directory, language }),
    memory?.facts.startBlock({ language }),
    shared.workspaceRun(),
    contexts.refresh([definition.name, MAIN]),
  ]);
  const prompt =
    typeof request.prompt === 'string' && request.mentions === true
      ? await withMentions(request.prompt, shared, opened)
      : request.prompt;
  // From here on nothing waits: the request shows one moment of the histories.
  const { main, own, continues } = historiesOf(definition.name, mode, options, request.continue);
  const fixed = systemParts({
    agent: definition.systemPrompt,
    project: instructions.text,
    tools: opened.instructions.join('\n\n'),
    facts: facts ?? '',
    workspace: workspace?.section() ?? '',
  });
  const count = (text: string): number => countTokens(text);
  const toolTokens = opened.offered.reduce((sum, { tokens }) => sum + tokens, 0);
  const updates = workspace?.updates() ?? '';
  const asMessage = (content: UserMessage['content']): UserMessage => ({ role: 'user', content });
  const promptTokens = prompt === undefined ? 0 : tokensOf(asMessage(withUpdates(prompt, updates, [])), countTokens);
  const view: ContextView = createView({
    mode,
    language,
    agent: definition.name,
    main,
    own,
    window: definition.contextWindow,
    sharePatterns: definition.sharePatterns,
    summarizeAfter: definition.summarizeAfter,
    maxTokens: maxContextTokens,
    countTokens,
    promptTokens,
  });
  const message = prompt === undefined ? undefined : asMessage(withUpdates(prompt, updates, view.messages));
  const parts = [...fixed, ...systemParts({ mode: view.modeText, 'left-out': view.notice })];
  const system: PreparedPart[] = parts.map((part) => ({ ...part, tokens: count(part.text) }));
  const messages = message === undefined ? view.messages : [...view.messages, message];
  const systemTokens = system.reduce((sum, { tokens }) => sum + tokens, 0);
  const messageTokens = messages.reduce((sum, one) => sum + tokensOf(one, countTokens), 0);
  return {
    agent: definition.name,
    mode,
    system,
    messages,
    tools: opened.offered,
    leftOut: view.details.leftOut,
    tokens: {
      system: systemTokens,
      messages: messageTokens,
      tools: toolTokens,
      total: systemTokens + messageTokens + toolTokens,
    },
    notices: [...opened.notices, ...instructions.notices, ...(view.notice === '' ? [] : [view.notice])],
    definition,
    opened,
    systemText: systemText(parts),
    before: view.messages,
    prompt: message,
    continues,
  };
}
