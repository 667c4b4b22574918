import { toolOfName } from '@cairn/coding-agent/internal';
import { createView, findAgent, MODES, readProjectInstructions, summarizeByModel } from '@cairn/context';
import type {
  AgentDefinition,
  AskModel,
  ContextManager,
  ContextMode,
  ModelSummary,
  ModelSummaryResult,
  ModeTextChoice,
  UnifiedMessage,
  UserMessage,
} from '@cairn/context';
import {
  bytesOf,
  checkMessage,
  DEFAULT_MAX_TOKENS,
  DEFAULT_SUMMARIZE_AFTER,
  foldedCount,
  labelOf,
  MAIN,
  modeOf,
  RequestFold,
  SHOWN_PARTS,
  tokensOf,
  withNewestImages,
} from '@cairn/context/internal';
import type { ShownPart } from '@cairn/tool';
import { estimateTokens, type CountTokens } from '@cairn/tool/prompt';
import type { WorkspaceRun } from '@cairn/workspace-cache';
import { knowledgeSection, type OpenedTools, type SharedParts } from './shared-parts.ts';
import { addEndings, attachMentions, checkPrompt } from '../prompt/prompt-content.ts';
import { systemParts, systemText, type SystemPartName } from '../prompt/system-prompt.ts';
import { callEffects } from '../tools/call-effects.ts';
import { hiddenBy } from '../tools/shown-parts.ts';
import type {
  AgentsOptions,
  PreparedPart,
  PreparedRequest,
  PreparedShow,
  PreparedTool,
  PrepareOptions,
  RequestSize,
  RunOptions,
} from './agents.ts';
import { runTexts } from './texts.ts';
import { AgentError } from '../errors.ts';

function sum<T>(items: readonly T[], sizeOf: (item: T) => number): number {
  return items.reduce((total, item) => total + sizeOf(item), 0);
}

function withTotal(sizes: Omit<RequestSize, 'total'>): RequestSize {
  return { ...sizes, total: sizes.system + sizes.messages + sizes.tools };
}

function sizesOf(
  { system, messages, tools }: Pick<PreparedRequest, 'system' | 'messages' | 'tools'>,
  countTokens: CountTokens,
): Pick<PreparedRequest, 'tokens' | 'bytes'> {
  const bytesOfTool = ({ tokens: _, ...tool }: PreparedTool): number => Buffer.byteLength(JSON.stringify(tool));
  return {
    tokens: withTotal({
      system: sum(system, ({ tokens }) => tokens),
      messages: sum(messages, (message) => tokensOf(message, countTokens)),
      tools: sum(tools, ({ tokens }) => tokens),
    }),
    bytes: withTotal({
      system: Buffer.byteLength(systemText(system)),
      messages: sum(messages, bytesOf),
      tools: sum(tools, bytesOfTool),
    }),
  };
}

interface Histories {
  readonly main: readonly UnifiedMessage[];
  readonly own: readonly UnifiedMessage[];
  /** The first run of the chain that the request continues. */
  readonly continues: string | undefined;
}

/** Returns the first run of the chain that a run of an agent belongs to. @throws {AgentError} `UNKNOWN_RUN` */
function chainOf(run: string, history: readonly UnifiedMessage[], agent: string): string {
  const message = history.findLast((one) => labelOf(one).run === run && labelOf(one).agent === agent);
  if (message !== undefined) return labelOf(message).continues ?? run;
  throw new AgentError('UNKNOWN_RUN', [
    `The history of the agent ${agent} has no run ${JSON.stringify(run)}`,
    'Continue a run of this agent, in the same session and mode, or begin a new one without it.',
  ]);
}

/** Returns the histories as they are now, of a continued run the turns of its chain only. @throws {AgentError} `UNKNOWN_RUN` */
function historiesOf(
  contexts: ContextManager,
  { agent, mode, run }: { readonly agent: string; readonly mode: ContextMode; readonly run: string | undefined },
): Histories {
  const main = contexts.main.conversationHistory;
  if (MODES[mode].writes === 'main') {
    return { main, own: [], continues: run === undefined ? undefined : chainOf(run, main, agent) };
  }
  const own = contexts.getContext(agent, mode).conversationHistory;
  if (run === undefined) return { main, own, continues: undefined };
  const continues = chainOf(run, own, agent);
  const chain = own.filter((message) => {
    const label = labelOf(message);
    return label.run === continues || label.continues === continues;
  });
  // A fork reads no history of its own, but continues its run.
  if (MODES[mode].reads === 'main') return { main: [...main, ...chain], own: [], continues };
  return { main, own: chain, continues };
}

export interface PreparedRun extends PreparedRequest {
  readonly definition: AgentDefinition;
  readonly opened: OpenedTools;
  /** The run whose tree the system prompt shows. */
  readonly workspace: WorkspaceRun | undefined;
  /** What the requests send before the prompt. */
  readonly before: readonly UnifiedMessage[];
  /** The prompt as it is sent: with the files that it mentions and the changes of the workspace. */
  readonly prompt: UserMessage | undefined;
  /** The first run of the chain that this one continues. */
  readonly continues: string | undefined;
  /** Folds the requests. It has made the messages of the first one. */
  readonly fold: RequestFold;
  /** The choice of the text about the mode, when it is not kept yet. */
  readonly modeChoice: ModeTextChoice | undefined;
}

/** Returns the definition of an agent. @throws {ContextError} `UNKNOWN_AGENT`, `INVALID_DEFINITION` */
export function definitionOf(agent: string | AgentDefinition, { definitions }: SharedParts): AgentDefinition {
  return typeof agent === 'string' ? findAgent(definitions, agent) : agent;
}

/** Returns the summary of main that a model wrote: a stored one, or with `askModel` a new one if it is needed. */
async function summaryOf(
  { name, summarizeAfter }: AgentDefinition,
  { contexts, language = 'en' }: AgentsOptions,
  askModel: AskModel | undefined,
): Promise<ModelSummaryResult> {
  const main = contexts.main.conversationHistory;
  const readSummary = (): Promise<ModelSummary | undefined> => contexts.readSummary(name, 'shared');
  if (askModel === undefined) {
    const summary = await readSummary();
    const folded = foldedCount(main.length, summarizeAfter ?? DEFAULT_SUMMARIZE_AFTER);
    if (folded > 0 && summary?.messages !== folded) return { notice: runTexts[language].summaryPending };
    return summary === undefined ? {} : { summary };
  }
  const store = {
    readSummary,
    writeSummary: (summary: ModelSummary) => contexts.writeSummary(name, summary, 'shared'),
  };
  return summarizeByModel(main, { askModel, store, summarizeAfter, language });
}

/** Makes the request of a run from what there is now: the histories, the facts, the instructions of the project, the tree. */
export async function prepareRun(
  shared: SharedParts,
  request: PrepareOptions & Pick<RunOptions, 'model'>,
  askModel?: AskModel,
): Promise<PreparedRun> {
  if (request.prompt !== undefined) checkPrompt(request.prompt);
  const definition = definitionOf(request.agent, shared);
  const mode = modeOf(request.mode, definition);
  const opened = await shared.openTools(definition, mode, request);
  try {
    const preparation = { shared, request, definition, mode, opened };
    const gathered = await gather(preparation, askModel);
    // From here on nothing waits: the request shows one moment of the histories.
    return compose(preparation, gathered);
  } catch (error) {
    opened.close();
    throw error;
  }
}

interface Preparation {
  readonly shared: SharedParts;
  readonly request: PrepareOptions & Pick<RunOptions, 'model'>;
  readonly definition: AgentDefinition;
  readonly mode: ContextMode;
  readonly opened: OpenedTools;
}

type Gathered = Awaited<ReturnType<typeof gather>>;

async function gather({ shared, request, definition, mode, opened }: Preparation, askModel: AskModel | undefined) {
  const { options, roots, naming } = shared;
  const { root, directory, contexts, knowledge, memory, language = 'en' } = options;
  const { shows } = opened.grant;
  const tools = Object.keys(opened.tools);
  const isShown = (part: ShownPart): boolean => shows?.has(part) ?? true;
  const [instructions, known, facts = '', workspace, modeText, windowTokens] = await Promise.all([
    isShown('instructions') ? readProjectInstructions({ root, directory, language }) : { text: '', notices: [] },
    knowledgeSection(isShown('knowledge') ? knowledge : undefined, { root, language, tools }),
    isShown('facts') ? memory?.facts.startBlock({ language }) : undefined,
    isShown('tree') ? shared.section.next() : undefined,
    contexts.readModeText(definition.name, mode),
    shared.windowTokens(request, definition),
    contexts.refresh([definition.name, MAIN]),
  ]);
  const usesModel = mode === 'summarized' && options.summarizer !== undefined;
  const { summary, notice = '' } = usesModel ? await summaryOf(definition, options, askModel) : {};
  const { prompt, mentions } = request;
  const tooling = { roots, naming, session: opened.session };
  const isExpanded = typeof prompt === 'string' && mentions === true;
  const expanded = isExpanded ? await attachMentions(prompt, tooling) : { content: prompt, notices: [] };
  const knowledgeNotice = known.problem === undefined ? '' : runTexts[language].noKnowledge(known.problem);
  const notices = [...opened.notices, ...instructions.notices, knowledgeNotice, ...expanded.notices, notice];
  const { content } = expanded;
  return { instructions, known, facts, workspace, summary, modeText, windowTokens, content, notices };
}

/** Returns which parts of the histories that the agent sees are not readable. */
function problemsOf({ shared, definition, mode }: Preparation): string[] {
  const isSeen = (agent: string): boolean => (agent === MAIN ? MODES[mode].reads !== 'own' : agent === definition.name);
  return shared.options.contexts.problems.flatMap(({ agent, message }) => (isSeen(agent) ? [message] : []));
}

/** The parts of the system prompt that a definition can leave out. */
const PART_NAMES: Readonly<Record<ShownPart, SystemPartName>> = {
  facts: 'facts',
  knowledge: 'knowledge',
  tree: 'workspace',
  instructions: 'project',
};

function showsOf({ definition, request }: Preparation, system: readonly PreparedPart[]): PreparedShow[] {
  const { without, parent } = request;
  return SHOWN_PARTS.map((part) => {
    const by = hiddenBy(part, { agent: definition, without, within: parent?.grant });
    const { tokens = 0 } = system.find(({ name }) => name === PART_NAMES[part]) ?? {};
    return { part, tokens, ...(by !== undefined && { hiddenBy: by }) };
  });
}

/** The tokens of announcements at the end of a prompt: a history is shortened before a prompt is rejected. */
const PROMPT_MARGIN = 500;

function compose(preparation: Preparation, gathered: Gathered): PreparedRun {
  const { shared, request, definition, mode, opened } = preparation;
  const { naming } = shared;
  const { contexts, language = 'en', countTokens = estimateTokens } = shared.options;
  const { maxContextTokens = DEFAULT_MAX_TOKENS } = shared.options;
  const { name, contextWindow, sharePatterns, summarizeAfter } = definition;
  const { content, workspace, summary, windowTokens } = gathered;
  const describeCall = callEffects(opened.tools);
  const list = Object.keys(opened.tools).find((tool) => toolOfName(tool, naming ?? 'default') === 'ls') ?? false;
  const updates = workspace?.updates({ list, agent: name }) ?? '';
  const promptWith = (announcement: string, before: readonly UnifiedMessage[]): UserMessage | undefined =>
    content === undefined
      ? undefined
      : { role: 'user', content: addEndings(content, { updates, announcement }, before) };
  const bare = promptWith('', []);
  const promptTokens = bare === undefined ? 0 : tokensOf(bare, countTokens);

  const { main, own, continues } = historiesOf(contexts, { agent: name, mode, run: request.continue });
  const view = createView({
    mode,
    language,
    agent: name,
    main,
    own,
    window: contextWindow,
    sharePatterns,
    summarizeAfter,
    summary,
    maxTokens: Math.min(maxContextTokens, Math.max(Math.floor(windowTokens / 2), promptTokens + PROMPT_MARGIN)),
    countTokens,
    modeText: gathered.modeText,
    promptTokens,
    describeCall,
  });
  const prompt = promptWith(view.announcement, view.messages);
  // Otherwise the turn could not be stored when the run has ended.
  if (prompt !== undefined) checkMessage(prompt);
  const parts = systemParts({
    agent: definition.systemPrompt,
    project: gathered.instructions.text,
    tools: opened.instructions.join('\n\n'),
    knowledge: gathered.known.text,
    facts: gathered.facts,
    workspace: workspace?.section({ list, agent: name }) ?? '',
    mode: view.modeText,
    'left-out': view.notice,
  });
  const system = parts.map((part): PreparedPart => ({ ...part, tokens: countTokens(part.text) }));
  const all = prompt === undefined ? view.messages : [...view.messages, prompt];
  const fixedTokens = sum([...system, ...opened.offered], ({ tokens }) => tokens);
  const fold = new RequestFold({ language, countTokens, describeCall, windowTokens, fixedTokens });
  const { messages, batch } = fold.next(withNewestImages(all, { language, prompt }));
  const folded = batch === undefined ? '' : runTexts[language].folded(batch);
  const isMainEmpty = MODES[mode].reads !== 'own' && main.length === 0;
  const emptyMain = isMainEmpty ? runTexts[language].emptyMain(mode) : '';
  const notices = [...problemsOf(preparation), ...gathered.notices, view.notice, folded, emptyMain];
  const { modeText: kept } = gathered;
  const isKept = view.modeChoice.hasHistory === kept?.hasHistory && view.modeChoice.hasMain === kept.hasMain;
  return {
    agent: name,
    mode,
    system,
    messages,
    tools: opened.offered,
    shows: showsOf(preparation, system),
    leftOut: view.details.leftOut,
    ...sizesOf({ system, messages, tools: opened.offered }, countTokens),
    ...(isMainEmpty && { isMainEmpty }),
    notices: notices.filter((text) => text !== ''),
    definition,
    opened,
    workspace,
    before: view.messages,
    prompt,
    continues,
    fold,
    modeChoice: isKept ? undefined : view.modeChoice,
  };
}
