import { ContextError, findAgent, MODES } from '@cairn/context';
import { checkMode, isContextMode, labelOf, modeOf, textOf } from '@cairn/context/internal';
import type { AgentDefinition, AgentDefinitions, ContextMode, UnifiedMessage } from '@cairn/context';
import { MemoryError } from '@cairn/memory';
import { createTool, inputSchema, succeed, ToolError } from '@cairn/tool';
import type { ToolDefinition, ToolErrorCode, ToolRunOptions, ToolSuccess } from '@cairn/tool';
import { startOf, type ToolSpec } from '@cairn/tool/internal';
import type { Language } from '@cairn/tool/kernel';
import { truncateLine } from '@cairn/tool/prompt';
import { z } from 'zod';
import { AgentError } from '../errors.ts';
import type { AgentEvent, AgentResult, FinishReason, ToolRunContext } from '../run/agent-run.ts';
import type { Agents } from '../run/agents.ts';
import { listAgents } from './agent-list.ts';
import { delegationTexts } from './texts.ts';
import { quote } from '../tools/refusal.ts';

export interface RunAgentInput {
  readonly name: string;
  readonly prompt?: string | undefined;
  readonly context_mode?: ContextMode | undefined;
  readonly continue?: string | undefined;
  readonly offset?: number | undefined;
}

/** `text` is the whole answer, even if the model reads a part of it. */
export interface RunAgentDetails
  extends Pick<AgentResult, 'agent' | 'run' | 'text' | 'isMainEmpty'>, Partial<Pick<AgentResult, 'steps' | 'usage'>> {
  /** Where the part that the model did not read begins. */
  readonly nextOffset?: number;
  /** Absent when an earlier answer was read. */
  readonly mode?: ContextMode;
  /** In a mode that shows or writes main: the session whose main it is. */
  readonly session?: string;
}

type Runner = Pick<Agents, 'run' | 'contexts'>;

export interface RunToolOptions {
  readonly tool: string;
  readonly definitions: Pick<AgentDefinitions, 'agents' | 'problems'>;
  /** Returns the function that runs them. Called by each call. */
  readonly agents: () => Runner | Promise<Runner>;
  readonly language: Language;
  readonly only?: readonly AgentDefinition[] | undefined;
  /** The names of the agents that the started runs may start themselves. @default what the caller may start */
  readonly onlyAgents?: readonly string[] | undefined;
  /** The run that calls. @default none: the caller is a program */
  readonly caller?: Pick<ToolRunContext, 'agents' | 'grant'> | undefined;
  readonly readOnly: boolean;
  /** Whether main is not the conversation of the model that calls, as for the client of a server. @default false */
  readonly isOtherMain?: boolean | undefined;
  /** The characters of an answer that the model reads at once. @default 12_000 */
  readonly maxAnswerCharacters?: number | undefined;
}

interface RunToolCall {
  readonly parent?: ToolRunContext | undefined;
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
}

type StartedCall = RunToolCall & Pick<ToolRunOptions, 'signal' | 'onProgress'>;

/** About 3,600 tokens of English. */
const MAX_ANSWER_CHARACTERS = 12_000;

/** The modes that see nothing of main. */
const OWN_MODES = Object.keys(MODES).filter((mode) => isContextMode(mode) && MODES[mode].reads === 'own');

/** Whether a mode shows something of main, or adds to it. */
function usesMain(mode: ContextMode): boolean {
  return !OWN_MODES.includes(mode) || mode === 'handback';
}

/** Other names that models use for the parameters. */
const ALIASES = [
  ['name', 'agent', 'agent_name', 'subagent_type'],
  ['prompt', 'task'],
  ['context_mode', 'contextMode', 'mode'],
  ['continue', 'run', 'run_id'],
];

/** Of runs that did not end by themselves. The others are `IO`. */
const failureCodes: Partial<Readonly<Record<FinishReason, ToolErrorCode>>> = {
  steps: 'TOO_LARGE',
  tokens: 'TOO_LARGE',
  length: 'TOO_LARGE',
  timeout: 'TIMEOUT',
};

function asToolError(error: unknown, changed: boolean): unknown {
  const facts = { changed, cause: error };
  if (ContextError.isInstance(error) || AgentError.isInstance(error)) {
    const isUnknown = error.code === 'UNKNOWN_AGENT' || error.code === 'UNKNOWN_RUN';
    return new ToolError(isUnknown ? 'NOT_FOUND' : 'INVALID_INPUT', [error.summary, error.hint], facts);
  }
  if (MemoryError.isInstance(error)) return new ToolError('IO', [error.summary, error.hint], facts);
  return error;
}

const MAX_PROGRESS_CHARACTERS = 60;

/** States in a few words what runs do; `undefined` for events that change nothing of that. `names` is filled with their agents. */
function progressOf(event: AgentEvent, names: Map<string, string>): string | undefined {
  if (event.type === 'start') names.set(event.run, event.agent);
  const name = names.get(event.run) ?? event.run;
  if (event.type === 'step') return `${name}: step ${event.step}`;
  if (event.type === 'retry') return `${name}: waits for the model: ${event.reason}`;
  if (event.type !== 'tool-start') return undefined;
  return `${name}: ${event.name} ${truncateLine(JSON.stringify(event.input) ?? '', MAX_PROGRESS_CHARACTERS)}`;
}

/** A tool with which a model runs agents: `agent` for agents, another name for other programs. */
export class RunTool {
  readonly #options: RunToolOptions;
  readonly #texts: (typeof delegationTexts)['en'];
  readonly #listed: readonly AgentDefinition[];
  readonly #seesMain: boolean;
  readonly #spec: Omit<ToolSpec<RunAgentInput, RunAgentDetails>, 'run'>;

  constructor(options: RunToolOptions) {
    const { tool: name, definitions, language, only, caller, readOnly } = options;
    this.#options = options;
    this.#texts = delegationTexts[language];
    this.#listed = only ?? [...definitions.agents.values()];
    this.#seesMain = caller?.grant.readsMain ?? true;
    this.#spec = {
      name,
      description: `${this.#texts.description}\n\n${listAgents(this.#listed, language)}`,
      inputSchema: this.#schema(),
      annotations: {
        title: this.#texts.title,
        readOnlyHint: readOnly,
        destructiveHint: !readOnly,
        idempotentHint: false,
        openWorldHint: true,
      },
    };
  }

  #schema(): z.ZodType<RunAgentInput> {
    const texts = this.#texts;
    const { tool, isOtherMain = false } = this.#options;
    const modes = (this.#seesMain ? Object.keys(MODES) : OWN_MODES) as ContextMode[];
    const fields = {
      name: z.string().describe(texts.name),
      prompt: z.string().optional().describe(texts.prompt),
      context_mode: z
        .enum(modes)
        .optional()
        .describe(isOtherMain ? texts.otherContextMode : texts.contextMode),
      continue: z.string().optional().describe(texts.continues(tool)),
      offset: z.int().min(0).optional().describe(texts.offset),
    };
    return inputSchema(fields, { aliases: ALIASES });
  }

  /** Returns the tool for one call of a run; by default for the model, the schema and the calls of a program. */
  of(call: RunToolCall = {}): ToolDefinition<RunAgentInput, RunAgentDetails> {
    return createTool<RunAgentInput, RunAgentDetails>({
      ...this.#spec,
      run: async (input, { signal, onProgress }) => {
        try {
          return await this.#run(input, { ...call, signal, onProgress });
        } catch (error) {
          throw asToolError(error, false);
        }
      },
    });
  }

  #run(input: RunAgentInput, call: StartedCall): Promise<ToolSuccess<RunAgentDetails>> {
    const { tool, definitions, caller } = this.#options;
    const { name, prompt, continue: continued, offset } = input;
    const working = caller?.agents.find((one) => one === name.normalize('NFC'));
    if (working !== undefined) throw new ToolError('PERMISSION', this.#texts.self(working));
    const agents = new Map(this.#listed.map((one) => [one.name, one]));
    const definition = findAgent({ agents, problems: definitions.problems }, name);
    if (prompt !== undefined && prompt.trim() !== '') {
      if (offset !== undefined) throw new ToolError('INVALID_INPUT', this.#texts.unneededOffset);
      return this.#start(definition, { ...input, prompt }, call);
    }
    if (continued === undefined) throw new ToolError('INVALID_INPUT', this.#texts.noPrompt(tool));
    return this.#readAnswer(definition.name, continued, offset ?? 0);
  }

  async #readAnswer(agent: string, run: string, offset: number): Promise<ToolSuccess<RunAgentDetails>> {
    const texts = this.#texts;
    const { contexts } = await this.#options.agents();
    const text = storedAnswer(contexts, { agent, run, modes: this.#seesMain ? ['isolated', 'shared'] : ['isolated'] });
    if (text === undefined) throw new ToolError('NOT_FOUND', texts.unknownRun(quote(run), agent));
    if (text === '') throw new ToolError('NOT_FOUND', texts.noAnswer(quote(run), agent));
    if (offset >= text.length) throw new ToolError('INVALID_INPUT', texts.noOffset(offset, text.length));
    const { shown, ...next } = this.#part({ agent, run, text }, offset);
    return succeed(shown, { agent, run, text, ...next });
  }

  /** Returns the part of an answer from an offset on that the model reads, with how to get the rest. */
  #part(
    { agent, run, text }: Pick<AgentResult, 'agent' | 'run' | 'text'>,
    offset: number = 0,
  ): { readonly shown: string; readonly nextOffset?: number } {
    const { tool, maxAnswerCharacters = MAX_ANSWER_CHARACTERS } = this.#options;
    const part = startOf(text.slice(offset), maxAnswerCharacters);
    const end = offset + part.length;
    if (end === text.length) return { shown: part };
    const next = JSON.stringify({ name: agent, continue: run, offset: end });
    const note = this.#texts.cut(offset + 1, end, text.length, `${tool} ${next}`);
    return { shown: `${part}\n${note}`, nextOffset: end };
  }

  async #start(
    definition: AgentDefinition,
    input: RunAgentInput & { readonly prompt: string },
    { signal, parent, onEvent, onProgress }: StartedCall,
  ): Promise<ToolSuccess<RunAgentDetails>> {
    const { readOnly, onlyAgents } = this.#options;
    const { prompt, context_mode: asked, continue: continued } = input;
    const wanted = modeOf(asked, definition);
    const isHidden = !this.#seesMain && !OWN_MODES.includes(wanted);
    if (isHidden && asked !== undefined) {
      throw new ToolError('PERMISSION', this.#texts.noMain(checkMode(asked), OWN_MODES.join(', ')));
    }
    const mode = isHidden ? 'isolated' : wanted;
    const agents = await this.#options.agents();
    signal?.throwIfAborted();
    // The caller of a run sees the events of the runs that it starts.
    const partialText = onEvent !== undefined || parent?.partialText === true;
    const chosen = { mode, readOnly, onlyAgents, partialText, continue: continued, signal, parent };
    const run = agents.run({ agent: definition, prompt, ...chosen });
    let mayHaveChanged = false;
    const follow = async (): Promise<AgentResult> => {
      const names = new Map<string, string>();
      for await (const event of run) {
        mayHaveChanged ||= event.type === 'tool-start' && !readOnly;
        parent?.emit(event);
        onEvent?.(event);
        const message = progressOf(event, names);
        if (message !== undefined) onProgress?.(message);
      }
      return run.result;
    };
    const result = await follow().catch((error: unknown) => {
      throw asToolError(error, mayHaveChanged);
    });
    parent?.addUsage(result.usage);
    const { finishReason } = result;
    // As the history has it, so that offsets of both are equal.
    const text = lastText(result.messages) ?? result.text;
    if (finishReason === 'aborted' && signal?.aborted) throw signal.reason;
    if (finishReason !== 'stop') throw this.#failure({ ...result, text, finishReason }, mayHaveChanged);
    return this.#success({ ...result, text }, { mode, wanted, session: agents.contexts.session });
  }

  #success(
    result: AgentResult,
    { mode, wanted, session }: { readonly mode: ContextMode; readonly wanted: ContextMode; readonly session: string },
  ): ToolSuccess<RunAgentDetails> {
    const texts = this.#texts;
    const { agent, run, text, steps, usage, isMainEmpty } = result;
    const { shown, ...next } = this.#part(result);
    // A turn that the model ended by itself has this label only when its last answer has no text.
    const last = result.messages.at(-1);
    const isWithoutText = last === undefined || labelOf(last).ended !== undefined;
    const earlier = text.trim() === '' ? [] : [texts.partial, shown];
    const lines = [
      ...(isWithoutText ? [texts.noText, ...earlier] : [shown]),
      '',
      ...(mode === wanted ? [] : [texts.otherMode(wanted)]),
      ...(this.#options.isOtherMain === true && usesMain(mode) ? [texts.otherMain(session)] : []),
      ...(isMainEmpty ? [texts.emptyMain] : []),
      texts.done(agent, run),
    ];
    const facts = { ...(usesMain(mode) && { session }), ...(isMainEmpty && { isMainEmpty }) };
    return succeed(lines.join('\n'), { agent, run, text, mode, steps, usage, ...facts, ...next });
  }

  /** Returns the error for a run that did not end by itself. It never ends the run that called. */
  #failure(
    result: AgentResult & { readonly finishReason: Exclude<FinishReason, 'stop'> },
    changed: boolean,
  ): ToolError {
    const texts = this.#texts;
    const { agent, finishReason, error, run, text, messages } = result;
    const isFailed = messages.length === 0 || finishReason === 'error';
    const hint = isFailed ? texts.failedHint : texts.continueHint(run);
    const message = finishReason === 'error' ? error?.message.replace(/[.\s]+$/u, '') : undefined;
    return new ToolError(
      failureCodes[finishReason] ?? 'IO',
      texts.ended(agent, message ?? texts.why[finishReason], hint),
      {
        changed,
        ...(text !== '' && { context: `${texts.partial}\n${this.#part(result).shown}` }),
        cause: error,
      },
    );
  }
}

function lastText(messages: readonly UnifiedMessage[]): string | undefined {
  const last = messages.findLast((message) => message.role === 'assistant' && textOf(message) !== '');
  return last && textOf(last);
}

/** Returns the last text of a run from the histories of the session; `undefined` for a run that is not in them. */
function storedAnswer(
  contexts: Runner['contexts'],
  { agent, run, modes }: { readonly agent: string; readonly run: string; readonly modes: readonly ContextMode[] },
): string | undefined {
  for (const mode of modes) {
    const { conversationHistory } = contexts.getContext(agent, mode);
    const turn = conversationHistory.filter((message) => {
      const label = labelOf(message);
      return label.run === run && (mode === 'isolated' || label.agent === agent);
    });
    if (turn.length === 0) continue;
    return lastText(turn) ?? '';
  }
  return undefined;
}
