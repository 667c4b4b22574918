import { DONE_COMPLETION } from '@cairn/memory/internal';
import type { Todo } from '@cairn/memory';
import type { StepReply } from './types.ts';

/** How often a step is repeated: with the first try, 4 tries. */
export const MAX_REPEATS = 3;
/** How often steps of one workflow begin. */
export const MAX_ITERATIONS = 20;

export type Verdict =
  | { readonly status: 'done'; readonly completion: number; readonly addTodo?: string }
  /** Another try follows. */
  | { readonly status: 'pending'; readonly completion?: number }
  | { readonly status: 'failed'; readonly completion?: number };

/** Returns a todo as one line without case, width, whitespace and final punctuation, to compare it. */
function foldTodo(content: string): string {
  const folded = content.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();
  return folded.replace(/[\s.。!！?？;；,，:：…]+$/u, '');
}

export interface StepTry {
  readonly todo: Todo;
  readonly reply: Pick<StepReply, 'completion' | 'nextStep'> | undefined;
  /** Whether something failed: the model, a call that it wrote as text, or the reading of its answer. */
  readonly hasErrors: boolean;
  /** How often the step failed or stayed incomplete before. */
  readonly tries: number;
  readonly todos: readonly Todo[];
  /** Whether the step asked the user, so that it is not to blame for being incomplete. */
  readonly asked: boolean;
}

/** Decides a step: done from 0.8 on, or as a part when it adds another step; otherwise repeated 3 times, then failed. */
export function verdictOf({ todo, reply, hasErrors, tries, todos, asked }: StepTry): Verdict {
  const completion = reply?.completion;
  const stated = completion === undefined ? {} : { completion };
  if (!hasErrors && completion !== undefined) {
    if (completion >= DONE_COMPLETION) return { status: 'done', completion };
    const next = reply?.nextStep;
    if (next !== undefined && foldTodo(next) !== foldTodo(todo.content)) {
      const isEqual = ({ id, content }: Todo): boolean => id !== todo.id && foldTodo(content) === foldTodo(next);
      const isOpen = todos.some((one) => one.status !== 'done' && one.status !== 'failed' && isEqual(one));
      return { status: 'done', completion, ...(!isOpen && { addTodo: next }) };
    }
    if (asked) return { status: 'pending', ...stated };
  }
  return { status: tries >= MAX_REPEATS ? 'failed' : 'pending', ...stated };
}
