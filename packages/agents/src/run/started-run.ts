import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { toolOfName } from '@cairn/coding-agent/internal';
import type { AskModel } from '@cairn/context';
import { isObject, type OptionNames } from '@cairn/tool/kernel';
import { estimateTokens } from '@cairn/tool/prompt';
import type { LanguageModel } from 'ai';
import { AgentError, asError, checkArguments } from '../errors.ts';
import type { AgentEvent, AgentResult, AgentRun, OwnEvent, Usage } from './agent-run.ts';
import type { RunOptions } from './agents.ts';
import { limitsOf } from './limits.ts';
import { requestModel } from './model-request.ts';
import { definitionOf, prepareRun, type PreparedRun } from './prepare.ts';
import type { SharedParts } from './shared-parts.ts';
import { runTexts } from './texts.ts';
import { afterAbort } from './tool-calls.ts';
import { Steps, type RunParts } from './steps.ts';
import { UsageSum } from './usage-sum.ts';

/** The events of a run. Each iteration begins with the first event and ends with the log. */
class EventLog implements AsyncIterable<AgentEvent> {
  readonly #events: AgentEvent[] = [];
  #isEnded = false;
  #error: Error | undefined;
  readonly #waiting: (() => void)[] = [];
  #readers = 0;

  get isRead(): boolean {
    return this.#readers > 0;
  }

  push(event: AgentEvent): void {
    if (this.#isEnded) return;
    this.#events.push(event);
    this.#wake();
  }

  /** Ends the log. With an error, iterations reject with it after the last event. */
  end(error?: Error): void {
    this.#isEnded = true;
    this.#error = error;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void> {
    this.#readers += 1;
    try {
      for (let index = 0; ; index++) {
        while (index === this.#events.length && !this.#isEnded) {
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
        }
        const event = this.#events[index];
        if (event === undefined) break;
        yield event;
      }
      if (this.#error !== undefined) throw this.#error;
    } finally {
      this.#readers -= 1;
    }
  }
}

/** A signal that the caller, a time limit and `close` abort. */
class Ending {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Milliseconds that are left of the time limit, when it was last started. */
  #left = 0;
  #startedMs = 0;
  /** The calls that a person is asked about. */
  readonly #open: Set<string> = new Set();
  readonly signal: AbortSignal = this.#controller.signal;
  isTimeout = false;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    caller?.addEventListener('abort', this.#onAbort, { once: true });
    if (caller?.aborted) this.#onAbort();
  }

  limit(timeoutMs: number): void {
    this.#left = timeoutMs;
    this.#start();
  }

  #start(): void {
    this.#startedMs = performance.now();
    this.#timer = setTimeout(() => {
      this.isTimeout = !this.signal.aborted;
      this.abort(new Error('timeout'));
    }, this.#left);
  }

  /** Stops the time while a person reads a question. */
  readonly onEvent = (event: AgentEvent): void => {
    if (event.type !== 'approval') return;
    const key = `${event.run} ${event.id}`;
    const wasOpen = this.#open.size > 0;
    if (event.state === 'asked') this.#open.add(key);
    else this.#open.delete(key);
    const isOpen = this.#open.size > 0;
    if (this.#timer === undefined || isOpen === wasOpen) return;
    clearTimeout(this.#timer);
    if (isOpen) this.#left = Math.max(0, this.#left - (performance.now() - this.#startedMs));
    else this.#start();
  };

  readonly #onAbort = (): void => this.abort(this.#caller?.reason);

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#onAbort);
  }
}

export const requestNames = {
  agent: 'required',
  mode: 'optional',
  continue: 'optional',
  mentions: 'optional',
  readOnly: 'optional',
  onlyAgents: 'optional',
  without: 'optional',
  parent: 'optional',
} as const;

const runNames: OptionNames<RunOptions> = {
  ...requestNames,
  prompt: 'required',
  model: 'optional',
  maxSteps: 'optional',
  maxTokens: 'optional',
  timeoutMs: 'optional',
  partialText: 'optional',
  onFailure: 'optional',
  signal: 'optional',
};

type RunPlan = Pick<RunParts, 'limits' | 'model' | 'unsent' | 'inherited'> &
  Pick<PreparedRun, 'definition'> & { readonly modelName: string; readonly warnings: readonly string[] };

export class StartedRun implements AgentRun {
  readonly run: string = `run_${Date.now()}_${randomUUID().slice(0, 8)}`;
  readonly result: Promise<AgentResult>;
  readonly #shared: SharedParts;
  readonly #options: RunOptions;
  readonly #log = new EventLog();
  readonly #usage = new UsageSum();
  readonly #ending: Ending;

  /** @param closed the error of a run of closed agents */
  constructor(shared: SharedParts, options: RunOptions, closed: AgentError | undefined) {
    this.#shared = shared;
    this.#options = options;
    this.#ending = new Ending(options.signal);
    const begun = closed ? Promise.reject(closed) : this.#start();
    this.result = begun.finally(() => this.#ending.stop());
    // Also marks a rejection as handled: the result need not be awaited.
    this.result.then(
      () => this.#log.end(),
      (error: unknown) => this.#log.end(asError(error)),
    );
  }

  get usage(): Usage {
    return this.#usage.sum;
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    return this.#log[Symbol.asyncIterator]();
  }

  abort(reason: Error): void {
    this.#ending.abort(reason);
  }

  readonly #emit = (event: OwnEvent): void => {
    const { parent } = this.#options;
    this.#push({ ...event, run: this.run, depth: parent === undefined ? 0 : parent.depth + 1 });
  };

  readonly #push = (event: AgentEvent): void => {
    this.#ending.onEvent(event);
    this.#log.push(event);
  };

  async #start(): Promise<AgentResult> {
    checkArguments.options('run', this.#options, runNames);
    const plan = this.#plan();
    const preparing = prepareRun(this.#shared, { ...this.#options, agent: plan.definition }, (prompt) =>
      this.#askModel(plan.model, prompt),
    );
    const { late, stop } = afterAbort(this.#ending.signal);
    const prepared = await Promise.race([preparing, late]).finally(stop);
    if (prepared === undefined) {
      // A store or a set of tools does not answer. When it does later, nothing is left open.
      preparing.then(({ opened }) => opened.close()).catch(() => undefined);
      return this.#endEarly(plan);
    }
    try {
      return await this.#work(plan, prepared);
    } finally {
      prepared.opened.close();
    }
  }

  #plan(): RunPlan {
    const { firstByteTimeoutMs, chunkTimeoutMs } = this.#shared.options;
    const { agent, partialText = true } = this.#options;
    const definition = definitionOf(agent, this.#shared);
    const limits = limitsOf(this.#options, definition);
    this.#ending.limit(limits.timeoutMs);
    const [inherited, { name: modelName, guard, warnings }] = this.#shared.modelOf(this.#options, definition);
    const unsent = { text: '' };
    const model = guard({
      firstByteTimeoutMs,
      chunkTimeoutMs,
      isFollowed: () => partialText && this.#log.isRead,
      onUnsent: (text) => (unsent.text = text),
      onRetry: (retry) => this.#emit({ type: 'retry', ...retry }),
    });
    return { definition, limits, inherited, modelName, warnings, unsent, model };
  }

  async #askModel(model: LanguageModel, prompt: Parameters<AskModel>[0]): Promise<string> {
    const { summarizer, countTokens = estimateTokens } = this.#shared.options;
    const { signal } = this.#ending;
    if (typeof summarizer === 'function') return summarizer(prompt, { signal });
    const answer = await requestModel({ model, messages: [{ role: 'user', content: prompt }], signal });
    this.#usage.addAnswer(answer, () => countTokens(prompt));
    if (answer.error !== undefined) throw answer.error;
    return answer.text;
  }

  /** Ends a run that was aborted before its first request. */
  #endEarly({ definition }: RunPlan): AgentResult {
    const finishReason = this.#ending.isTimeout ? 'timeout' : 'aborted';
    const notice = runTexts[this.#shared.options.language ?? 'en'].notBegun;
    this.#emit({ type: 'notice', text: notice });
    this.#emit({ type: 'end', finishReason });
    const nothing = { text: '', messages: [], steps: 0, usage: this.usage, notices: [notice] };
    return { run: this.run, agent: definition.name, finishReason, ...nothing };
  }

  async #work(plan: RunPlan, prepared: PreparedRun): Promise<AgentResult> {
    const { options } = this.#shared;
    const { prompt, mode, modeChoice, workspace } = prepared;
    const agent = plan.definition.name;
    if (prompt === undefined) {
      throw new AgentError('INVALID_INPUT', ['The run has no prompt', 'Write what the agent is to do.']);
    }
    // Before the request, so that every later one begins with the same text.
    if (modeChoice !== undefined) await options.contexts.keepModeText(agent, mode, modeChoice);
    this.#emit({ type: 'start', agent, mode, model: plan.modelName });
    const notices = [...prepared.notices, ...plan.warnings];
    for (const text of notices) this.#emit({ type: 'notice', text });
    const steps = new Steps({
      ...plan,
      run: this.run,
      options: this.#options,
      agents: options,
      prepared: { ...prepared, prompt, notices },
      usage: this.#usage,
      signal: this.#ending.signal,
      isTimeout: () => this.#ending.isTimeout,
      emit: (event) => {
        this.#noteListing(event, workspace);
        this.#emit(event);
      },
      emitNested: this.#push,
    });
    const result = await steps.result();
    workspace?.note({ requests: result.steps });
    return result;
  }

  /** Counts a listing that an agent makes: its tools do not work through the cache of the tree. */
  #noteListing(event: OwnEvent, workspace: PreparedRun['workspace']): void {
    const { naming = 'default', options } = this.#shared;
    if (event.type !== 'tool-start' || toolOfName(event.name, naming) !== 'ls') return;
    const path = isObject(event.input) ? (event.input['path'] ?? '.') : '.';
    if (typeof path === 'string') workspace?.note({ listed: resolve(options.root, path) });
  }
}
