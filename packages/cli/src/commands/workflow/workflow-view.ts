import type { WorkflowEvent } from '@cairn/agents';
import type { Todo } from '@cairn/memory';
import { escapeControls } from '@cairn/tool/paths';
import { truncateLine } from '@cairn/tool/prompt';
import { writeNotices, type AnswerFlags } from '../../terminal/answer.ts';
import { createPaint, usesColor, type Paint } from '../../terminal/output.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { fitText } from '../../terminal/text.ts';

/** Returns the status of a step for a person: `partly done` when a part of its work is left, `closed` when it did not have to run. */
export type StatusOf = (todo: Pick<Todo, 'status' | 'completion' | 'closedBy'>) => string;

/** Loads the rule of the memory: the memory is loaded only by the commands that use it. */
export async function loadStatusOf(): Promise<StatusOf> {
  const { isPartlyDone } = await import('@cairn/memory/internal');
  return (todo) => (todo.closedBy !== undefined ? 'closed' : isPartlyDone(todo) ? 'partly done' : todo.status);
}

/** The columns of a line where standard error is a file. */
const MAX_COLUMNS = 400;

function percent(completion: number | undefined): string {
  return completion === undefined ? '' : ` (${Math.round(completion * 100)} %)`;
}

/** Shows a workflow while it works: one line on standard error for each event, unless `--json` asks for a document. */
export class WorkflowView {
  /** The workflow that has begun. */
  workflow: string | undefined;
  /** Whether it has ended or waits, so that there is nothing to continue. */
  isOver = false;
  readonly notices: string[] = [];
  readonly #context: CommandContext;
  readonly #flags: AnswerFlags;
  readonly #paint: Paint;
  readonly #statusOf: StatusOf;
  #written: Promise<void> = Promise.resolve();

  constructor(context: CommandContext, flags: AnswerFlags, statusOf: StatusOf) {
    this.#context = context;
    this.#statusOf = statusOf;
    this.#flags = flags;
    this.#paint = createPaint(usesColor(flags.color, context.err.isTerminal, context.env));
  }

  /** Resolves when everything so far is written. */
  flush(): Promise<void> {
    return this.#written;
  }

  notice(text: string): void {
    if (this.notices.includes(text)) return;
    this.notices.push(text);
    if (this.#flags.json !== true) this.#queue(() => writeNotices(this.#context, this.#flags.color, [text]));
  }

  readonly show = (event: WorkflowEvent): void => {
    switch (event.type) {
      case 'workflow-start':
        this.workflow = event.workflow;
        this.isOver = false;
        this.#line(`${event.workflow}${event.isResumed ? ' continues' : ''}: ${event.goal}`);
        for (const todo of event.todos) this.#line(`  ${todo.id} ${this.#statusOf(todo)}: ${todo.content}`);
        break;
      case 'todo-start':
        this.#line(`${event.todo}: ${event.content}${event.attempt > 1 ? ` (try ${event.attempt})` : ''}`);
        break;
      case 'tool-start':
        this.#line(`  > ${event.name} ${JSON.stringify(event.input) ?? ''}`);
        break;
      case 'tool-end':
        if (event.isError) this.#line(`  > ${event.name} failed: ${event.output}`);
        break;
      case 'todo-end': {
        const { todo, status, completion, reason, added, closedBy } = event;
        const shown = this.#statusOf(event);
        const what = status !== 'pending' ? shown : reason === undefined ? 'goes on' : 'is tried again';
        const next = added !== undefined ? `; next: ${added}` : closedBy === undefined ? '' : ` by ${closedBy}`;
        this.#line(`${todo} ${what}${percent(completion)}${reason === undefined ? '' : `: ${reason}`}${next}`);
        break;
      }
      case 'retry':
        this.notice(`${event.reason}; trying again in ${(event.delayMs / 1000).toFixed(1)} s`);
        break;
      case 'notice':
        this.notice(event.text);
        break;
      case 'end':
        this.isOver = true;
        break;
      case 'decision':
      case 'text':
      case 'reasoning':
      case 'question':
      case 'approval':
        break;
    }
  };

  #line(text: string): void {
    if (this.#flags.json === true) return;
    const { err } = this.#context;
    const shown = escapeControls(text.replaceAll(/\s*\n\s*/gu, ' '));
    const line = err.isTerminal ? fitText(shown, err.width - 1) : truncateLine(shown, MAX_COLUMNS);
    this.#queue(() => err.write(`${this.#paint.dim(line)}\n`));
  }

  #queue(write: () => Promise<void>): void {
    // A line that cannot be written does not stop the workflow.
    this.#written = this.#written.then(write, write).catch(() => undefined);
  }
}
