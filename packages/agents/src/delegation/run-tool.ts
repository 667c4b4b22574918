import { ContextError, findAgent, MODES } from '@cairn/context';
import { checkMode, isContextMode, labelOf, modeOf, textOf } from '@cairn/context/internal';
import type { AgentDefinition, AgentDefinitions, ContextMode, UnifiedMessage } from '@cairn/context';
import { MemoryError } from '@cairn/memory';
import { createTool, inputSchema, succeed, ToolError } from '@cairn/tool';
import type { ToolDefinition, ToolErrorCode, ToolRunOptions, ToolSuccess } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import { z } from 'zod';
import { AgentError } from '../errors.ts';
import type { AgentEvent, AgentResult, FinishReason, Usage } from '../run/agent-run.ts';
import type { Agents } from '../run/agents.ts';
import type { ToolRunContext } from '../run/tool-context.ts';
import { endOfPart, listAgents } from './agent-list.ts';
import { createProgress } from './progress.ts';
import { delegationTexts } from './texts.ts';
import { quote } from '../tools/refusal.ts';

/** The parameters of a tool that runs agents. */
export interface RunAgentInput {
  readonly name: string;
  readonly prompt?: string | undefined;
  readonly context_mode?: ContextMode | undefined;
  readonly continue?: string | undefined;
  readonly offset?: number | undefined;
}

/** The result of a run, or of the reading of an answer. */
export interface RunAgentDetails {
  readonly agent: string;
  /** The id to continue the run by. */
  readonly run: string;
  /** The whole answer, also where the model reads a part of it. */
  readonly text: string;
  /** Where the part that the model did not read begins. */
  readonly nextOffset?: number;
  /** Absent when an earlier answer was read. */
  readonly mode?: ContextMode;
  /** In a mode that shows or writes main: the session whose main it is. */
  readonly session?: string;
  /** Whether the mode shows something of main, and main had no message when the run began. */
  readonly isMainEmpty?: true;
  readonly steps?: number;
  readonly usage?: Usage;
}

/** The part of agents that a tool uses. */
type Runner = Pick<Agents, 'run' | 'contexts'>;

/** Options of {@link createRunTool}. */
export interface RunToolOptions {
  /** The name of the tool. */
  readonly tool: string;
  readonly definitions: Pick<AgentDefinitions, 'agents' | 'problems'>;
  /** Returns the function that runs them. Called by each call. */
  readonly agents: () => Runner | Promise<Runner>;
  readonly language: Language;
  /** The agents that may be started. @default all */
  readonly only?: readonly AgentDefinition[] | undefined;
  /** The names of the agents that the started runs may start themselves. @default what the caller may start */
  readonly onlyAgents?: readonly string[] | undefined;
  /** The run that calls. @default none: the caller is a program */
  readonly caller?: Pick<ToolRunContext, 'agents' | 'grant'> | undefined;
  /** Whether the agents may change nothing. */
  readonly readOnly: boolean;
  /** Whether main is not the conversation of the model that calls, as for the client of a server. @default false */
  readonly isOtherMain?: boolean | undefined;
  /** The characters of an answer that the model reads at once. @default 12_000 */
  readonly maxAnswerCharacters?: number | undefined;
}

/** How one call runs. */
interface RunToolCall {
  /** The run that the call belongs to. */
  readonly parent?: ToolRunContext | undefined;
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
}

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

const failureCodes: Readonly<Record<Exclude<FinishReason, 'stop'>, ToolErrorCode>> = {
  steps: 'TOO_LARGE',
  tokens: 'TOO_LARGE',
  length: 'TOO_LARGE',
  timeout: 'TIMEOUT',
  aborted: 'IO',
  error: 'IO',
  'content-filter': 'IO',
};

/** The parts of a tool that runs agents, and how a call of it is run. */
export interface RunTool {
  /** For the model and the schema. Its `execute` runs a call of a program. */
  readonly definition: ToolDefinition<RunAgentInput, RunAgentDetails>;
  /** Returns the tool for one call of a run. */
  of(call: RunToolCall): ToolDefinition<RunAgentInput, RunAgentDetails>;
}

const errorCodes: Readonly<Record<string, ToolErrorCode>> = { UNKNOWN_AGENT: 'NOT_FOUND', UNKNOWN_RUN: 'NOT_FOUND' };

/** Turns an error of an argument, of the model or of the store into one of the tool. */
function asToolError(error: unknown, changed: boolean): unknown {
  const facts = { changed, cause: error };
  if (ContextError.isInstance(error) || AgentError.isInstance(error)) {
    return new ToolError(errorCodes[error.code] ?? 'INVALID_INPUT', [error.summary, error.hint], facts);
  }
  if (MemoryError.isInstance(error)) return new ToolError('IO', [error.summary, error.hint], facts);
  return error;
}

/** Makes a tool with which a model runs agents: `agent` for agents, another name for other programs. */
export function createRunTool(options: RunToolOptions): RunTool {
  const { tool: name, definitions, language, only, onlyAgents, caller, readOnly } = options;
  const { maxAnswerCharacters = MAX_ANSWER_CHARACTERS, isOtherMain = false } = options;
  const texts = delegationTexts[language];
  const listed = only ?? [...definitions.agents.values()];
  const seesMain = caller?.grant.readsMain ?? true;
  const modes = (seesMain ? Object.keys(MODES) : OWN_MODES) as [ContextMode, ...ContextMode[]];
  const schema = inputSchema(
    {
      name: z.string().describe(texts.name),
      prompt: z.string().optional().describe(texts.prompt),
      context_mode: z
        .enum(modes)
        .optional()
        .describe(isOtherMain ? texts.otherContextMode : texts.contextMode),
      continue: z.string().optional().describe(texts.continues(name)),
      offset: z.int().min(0).optional().describe(texts.offset),
    },
    { aliases: ALIASES },
  );
  const description = `${texts.description}\n\n${listAgents(listed, language)}`;
  const annotations = {
    title: texts.title,
    readOnlyHint: readOnly,
    destructiveHint: !readOnly,
    idempotentHint: false,
    openWorldHint: true,
  };

  const definitionOf = (given: string): AgentDefinition => {
    const byName = new Map(listed.map((definition) => [definition.name, definition]));
    return findAgent({ agents: byName, problems: definitions.problems }, given);
  };

  /** Returns the part of an answer from an offset on that the model reads, with how to get the rest. */
  const part = (answer: { agent: string; run: string; text: string }, offset: number): PartOfAnswer => {
    const { agent, run, text } = answer;
    const end = endOfPart(text, offset, maxAnswerCharacters);
    if (end === text.length) return { shown: text.slice(offset) };
    const next = JSON.stringify({ name: agent, continue: run, offset: end });
    const note = texts.cut({ from: offset + 1, to: end, total: text.length }, `${name} ${next}`);
    return { shown: `${text.slice(offset, end)}\n${note}`, nextOffset: end };
  };

  const readAnswer = async (agent: string, run: string, offset: number): Promise<ToolSuccess<RunAgentDetails>> => {
    const { contexts } = await options.agents();
    const text = storedAnswer(contexts, { agent, run, modes: seesMain ? ['isolated', 'shared'] : ['isolated'] });
    if (text === undefined) throw new ToolError('NOT_FOUND', texts.unknownRun(quote(run), agent));
    if (text === '') throw new ToolError('NOT_FOUND', texts.noAnswer(quote(run), agent));
    if (offset >= text.length) throw new ToolError('INVALID_INPUT', texts.noOffset(offset, text.length));
    const { shown, nextOffset } = part({ agent, run, text }, offset);
    return succeed(shown, { agent, run, text, ...(nextOffset !== undefined && { nextOffset }) });
  };

  const start = async (
    definition: AgentDefinition,
    input: RunAgentInput & { readonly prompt: string },
    { signal, parent, onEvent, onProgress }: RunToolCall & Pick<ToolRunOptions, 'signal' | 'onProgress'>,
  ): Promise<ToolSuccess<RunAgentDetails>> => {
    const { prompt, context_mode: asked, continue: continued } = input;
    const agent = definition.name;
    const wanted = modeOf(asked, definition);
    const isHidden = !seesMain && !OWN_MODES.includes(wanted);
    if (isHidden && asked !== undefined) {
      throw new ToolError('PERMISSION', texts.noMain(checkMode(asked), OWN_MODES.join(', ')));
    }
    const mode = isHidden ? 'isolated' : wanted;
    const agents = await options.agents();
    signal?.throwIfAborted();
    let mayHaveChanged = false;
    const run = agents.run({
      agent: definition,
      prompt,
      mode,
      readOnly,
      onlyAgents,
      // The caller of a run sees the events of the runs that it starts.
      partialText: onEvent !== undefined || parent?.partialText === true,
      ...(continued !== undefined && { continue: continued }),
      ...(signal && { signal }),
      ...(parent && { parent }),
    });
    const progress = createProgress();
    const follow = async (): Promise<AgentResult> => {
      for await (const event of run) {
        mayHaveChanged ||= event.type === 'tool-start' && !readOnly;
        parent?.emit(event);
        onEvent?.(event);
        const message = progress(event);
        if (message !== undefined) onProgress?.(message);
      }
      return run.result;
    };
    const result = await follow().catch((error: unknown) => {
      throw asToolError(error, mayHaveChanged);
    });
    parent?.addUsage(result.usage);
    const { finishReason, steps, usage } = result;
    // As the history has it, so that offsets of both are equal.
    const text = lastText(result.messages) ?? result.text;
    if (finishReason === 'aborted' && signal?.aborted) throw signal.reason;
    if (finishReason !== 'stop') throw failure({ ...result, text, finishReason }, mayHaveChanged);
    const { shown, nextOffset } = part({ agent, run: result.run, text }, 0);
    // A turn that the model ended by itself has this label only when its last answer has no text.
    const last = result.messages.at(-1);
    const isWithoutText = last === undefined || labelOf(last).ended !== undefined;
    const earlier = text.trim() === '' ? [] : [texts.partial, shown];
    const lines = [
      ...(isWithoutText ? [texts.noText, ...earlier] : [shown]),
      '',
      ...(isHidden ? [texts.otherMode(wanted)] : []),
      ...(isOtherMain && usesMain(mode) ? [texts.otherMain(agents.contexts.session)] : []),
      ...(result.isMainEmpty === true ? [texts.emptyMain] : []),
      texts.done(agent, result.run),
    ];
    const facts = { agent, run: result.run, text, mode, steps, usage };
    const details = {
      ...facts,
      ...(usesMain(mode) && { session: agents.contexts.session }),
      ...(result.isMainEmpty === true && { isMainEmpty: true as const }),
    };
    return succeed(lines.join('\n'), { ...details, ...(nextOffset !== undefined && { nextOffset }) });
  };

  /** Returns the error for a run that did not end by itself. It never ends the run that called. */
  const failure = (
    result: AgentResult & { readonly finishReason: Exclude<FinishReason, 'stop'> },
    changed: boolean,
  ): ToolError => {
    const { agent, finishReason, error, run, text } = result;
    const hasBegun = result.messages.length > 0;
    const hint = hasBegun && finishReason !== 'error' ? texts.continueHint(run) : texts.failedHint;
    const why = texts.why(finishReason, error?.message.replace(/[.\s]+$/u, ''));
    const { shown } = part({ agent, run, text }, 0);
    return new ToolError(failureCodes[finishReason], texts.ended(agent, why, hint), {
      changed,
      ...(text !== '' && { context: `${texts.partial}\n${shown}` }),
      cause: error,
    });
  };

  const of = (call: RunToolCall): ToolDefinition<RunAgentInput, RunAgentDetails> =>
    createTool<RunAgentInput, RunAgentDetails>({
      name,
      description,
      inputSchema: schema,
      annotations,
      run: async (input, { signal, onProgress }) => {
        try {
          const { prompt, continue: continued, offset } = input;
          const working = caller?.agents.find((one) => one === input.name.normalize('NFC'));
          if (working !== undefined) throw new ToolError('PERMISSION', texts.self(working));
          const definition = definitionOf(input.name);
          if (prompt !== undefined && prompt.trim() !== '') {
            if (offset !== undefined) throw new ToolError('INVALID_INPUT', texts.unneededOffset);
            return await start(definition, { ...input, prompt }, { ...call, signal, onProgress });
          }
          if (continued === undefined) throw new ToolError('INVALID_INPUT', texts.noPrompt(name));
          return await readAnswer(definition.name, continued, offset ?? 0);
        } catch (error) {
          throw asToolError(error, false);
        }
      },
    });
  return { definition: of({}), of };
}

interface PartOfAnswer {
  readonly shown: string;
  readonly nextOffset?: number;
}

/** Returns the last text that the model wrote. */
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
