import type { AgentEvent } from '@cairn/agents';
import { escapeControls } from '@cairn/tool/paths';
import { writeNotices, type AnswerFlags } from '../../terminal/answer.ts';
import { createPaint, usesColor, type Paint } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { escapeLine, fitText } from '../../terminal/text.ts';

/** A call of a tool, for the JSON document. */
export interface ShownCall {
  readonly run: string;
  readonly depth: number;
  readonly name: string;
  readonly input: unknown;
  /** Absent when the call did not end. */
  isError?: boolean;
  durationMs?: number;
  /** The decision about it, unless a rule allowed it, and the reason of a rejection. */
  approval?: 'allowed' | 'rejected';
  reason?: string;
}

/** A question about a call: it is shown after the lines before it, and the lines after it wait for its answer. */
interface Question {
  readonly shown: Promise<void>;
  readonly ended: Promise<void>;
  readonly show: () => void;
  readonly end: () => void;
}

function createQuestion(): Question {
  let [show, end] = [() => undefined as void, () => undefined as void];
  const shown = new Promise<void>((resolve) => (show = resolve));
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { shown, ended, show, end };
}

const LONE_HIGH_SURROGATE = /[\uD800-\uDBFF]$/u;

/**
 * Shows a run while it works. In a terminal the text appears as it is written, on standard output, and each call of a tool as a line
 * on standard error. Elsewhere standard output receives only the last text, at the end. Notices go to standard error.
 */
export class RunView {
  readonly calls: ShownCall[] = [];
  /** The mode and the model of the run, once it has begun. */
  started: { readonly mode?: string; readonly model?: string } = {};
  /** The last text of the model, and the number of requests to it. */
  text = '';
  steps = 0;
  /** The notices of the run and of nested ones, retries included. */
  readonly notices: string[] = [];
  readonly #context: CommandContext;
  readonly #flags: AnswerFlags;
  readonly #paint: Paint;
  readonly #open: Map<string, ShownCall> = new Map();
  readonly #questions: Map<string, Question> = new Map();
  /** Half of a character that a server cut. */
  #carry = '';
  #isInLine = false;
  #isNewStep = false;

  constructor(context: CommandContext, flags: AnswerFlags) {
    this.#context = context;
    this.#flags = flags;
    this.#paint = createPaint(usesColor(flags.color, context.err.isTerminal, context.env));
  }

  /** Whether the text of the model appears while it is written. */
  get isStreaming(): boolean {
    return this.#context.out.isTerminal && this.#flags.json !== true;
  }

  get #showsCalls(): boolean {
    return this.#context.err.isTerminal && this.#flags.json !== true;
  }

  /** Shows the events of a run to its end. */
  async follow(events: AsyncIterable<AgentEvent>): Promise<void> {
    const iterator = events[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.#next(iterator);
      if (next.done === true) break;
      await this.#show(next.value);
    }
    await this.#endLine();
  }

  /** Writes the answer where it has not been streamed. */
  async writeAnswer(text: string): Promise<void> {
    if (this.isStreaming || this.#flags.json === true || text === '') return;
    await this.#context.out.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  /** Shows a notice, unless it has been shown. */
  async notice(text: string): Promise<void> {
    if (!this.notices.includes(text)) await this.#report(text);
  }

  /** Asks about a call when everything before it is shown. Nothing else is written until it is answered. */
  async question<T>({ run, id }: { readonly run: string; readonly id: string }, ask: () => Promise<T>): Promise<T> {
    const { shown, end } = this.#questionOf(`${run} ${id}`);
    await shown;
    try {
      return await ask();
    } finally {
      this.#questions.delete(`${run} ${id}`);
      end();
    }
  }

  #questionOf(key: string): Question {
    const known = this.#questions.get(key);
    if (known !== undefined) return known;
    const question = createQuestion();
    this.#questions.set(key, question);
    return question;
  }

  async #showApproval(event: AgentEvent & { readonly type: 'approval' }): Promise<void> {
    const { run, id, state, reason } = event;
    if (state === 'asked') {
      await this.#endLine();
      const { show, ended } = this.#questionOf(`${run} ${id}`);
      show();
      await ended;
      return;
    }
    const call = this.#open.get(`${run} ${id}`);
    if (call) Object.assign(call, { approval: state, ...(reason !== undefined && { reason }) });
  }

  async #report(text: string): Promise<void> {
    this.notices.push(text);
    if (this.#flags.json === true) return;
    await this.#endLine();
    await writeNotices(this.#context, this.#flags.color, [text]);
  }

  async #next(iterator: AsyncIterator<AgentEvent>): Promise<IteratorResult<AgentEvent>> {
    // The line with the time would replace a part of the answer.
    if (this.#isInLine || !this.#showsCalls) return iterator.next();
    const tools = Array.from(this.#open.values(), ({ name }) => name);
    const label = tools.length === 0 ? 'waiting for the model' : `running ${[...new Set(tools)].join(', ')}`;
    return withProgress(this.#context, escapeControls(label), () => iterator.next());
  }

  async #show(event: AgentEvent): Promise<void> {
    const { depth, run } = event;
    switch (event.type) {
      case 'text':
        // The answer of a nested run is the result of a tool.
        if (depth === 0) await this.#addText(event.text);
        break;
      case 'step':
        if (depth === 0) await this.#beginStep(event.step);
        break;
      case 'start':
        if (depth === 0) this.started = { mode: event.mode, model: event.model };
        else await this.#line(depth, `agent ${event.agent} (${event.mode}) begins`);
        break;
      case 'tool-start': {
        const call: ShownCall = { run, depth, name: event.name, input: event.input };
        this.calls.push(call);
        this.#open.set(`${run} ${event.id}`, call);
        await this.#line(depth, `${event.name} ${JSON.stringify(event.input) ?? ''}`);
        break;
      }
      case 'tool-end': {
        const call = this.#open.get(`${run} ${event.id}`);
        this.#open.delete(`${run} ${event.id}`);
        if (call) Object.assign(call, { isError: event.isError, durationMs: event.durationMs });
        // The person who rejected it knows, and a notice states how to allow it.
        if (event.isError && call?.approval !== 'rejected')
          await this.#line(depth, `${event.name} failed: ${event.output.split('\n', 1)[0] ?? ''}`);
        break;
      }
      case 'approval':
        await this.#showApproval(event);
        break;
      case 'retry':
        await this.#report(`${event.reason}; trying again in ${(event.delayMs / 1000).toFixed(1)} s`);
        break;
      case 'notice':
        await this.notice(event.text);
        break;
      case 'reasoning':
      case 'end':
        break;
    }
  }

  async #beginStep(step: number): Promise<void> {
    this.steps = step;
    this.#isNewStep = true;
    // The texts of two steps are not one line.
    await this.#endLine();
  }

  async #addText(text: string): Promise<void> {
    this.text = this.#isNewStep ? text : this.text + text;
    this.#isNewStep = false;
    if (this.isStreaming) await this.#write(text);
  }

  async #write(text: string): Promise<void> {
    const whole = this.#carry + text;
    const [carry = ''] = LONE_HIGH_SURROGATE.exec(whole) ?? [];
    this.#carry = carry;
    const shown = whole.slice(0, whole.length - carry.length);
    if (shown === '') return;
    this.#isInLine = !shown.endsWith('\n');
    await this.#context.out.write(shown.split('\n').map(escapeLine).join('\n'));
  }

  async #endLine(): Promise<void> {
    if (!this.#isInLine) return;
    this.#isInLine = false;
    await this.#context.out.write('\n');
  }

  async #line(depth: number, text: string): Promise<void> {
    if (!this.#showsCalls) return;
    await this.#endLine();
    const { err } = this.#context;
    const line = fitText(`${'  '.repeat(depth)}> ${escapeControls(text)}`, err.width - 1);
    await err.write(`${this.#paint.dim(line)}\n`);
  }
}
