import { DONE_COMPLETION } from '@cairn/memory/internal';
import type { Todo } from '@cairn/memory';
import { ASK_USER } from './functions/ask-user.ts';
import type { CallRecord, StepReply } from './types.ts';

/** A step that was added because an earlier one was left unfinished, and what the earlier one lacked. */
export interface Derivation {
  /** The step as it was added. A step that a person has edited is the person's, and is not derived any more. */
  readonly content: string;
  readonly from: string;
  /** The number of calls of the workflow before it was added. */
  readonly calls: number;
  /** The question that the unfinished step had asked, and that was not answered yet: the id of its call. */
  readonly question?: string | undefined;
  /** The functions whose last call in the unfinished step failed, or has an unknown outcome. */
  readonly unfinished: readonly string[];
}

export type Derivations = Readonly<Record<string, Derivation>>;

/** Returns the reason why a step is added after a report of an unfinished one. */
export function derivationOf(
  content: string,
  step: { readonly from: string; readonly calls: readonly CallRecord[]; readonly callCount: number },
): Derivation {
  const { from, calls, callCount } = step;
  const own = calls.filter(({ todoId }) => todoId === from);
  const last = new Map(own.map(({ name, status }) => [name, status]));
  const question = own.findLast(({ status }) => status === 'asked')?.id;
  const unfinished = [...last].flatMap(([name, status]) => (status === 'failed' || status === 'unknown' ? [name] : []));
  return { content, from, calls: callCount, ...(question !== undefined && { question }), unfinished };
}

/** Returns the id that the record gives the next step that is added: one above all that it has. */
export function nextTodoId(todos: readonly Todo[]): string {
  const numbers = todos.map(({ id }) => Number(/^todo_(\d+)$/u.exec(id)?.[1] ?? -1));
  return `todo_${Math.max(-1, ...numbers) + 1}`;
}

/** Returns the open steps that were added after an unfinished one, apart from the step that is worked on. */
export function openDerived(todos: readonly Todo[], derived: Derivations, current: string): Todo[] {
  return todos.filter(
    ({ id, status, content }) => id !== current && status === 'pending' && derived[id]?.content === content,
  );
}

/** Whether what the unfinished step lacked is there: the user answered, or a call that had failed was made. */
function isSettled({ calls: before, question, unfinished }: Derivation, calls: readonly CallRecord[]): boolean {
  return calls.some((call) => {
    if (call.status !== 'done') return false;
    const isLater = Number(call.id.slice('call_'.length)) >= before;
    return call.name === ASK_USER ? isLater || call.id === question : isLater && unfinished.includes(call.name);
  });
}

/** Returns the steps whose reason is gone with a finished step: it states no next one, although its prompt lists them. */
export function closedBy(
  reply: Pick<StepReply, 'completion' | 'nextStep'>,
  workflow: {
    readonly todo: Pick<Todo, 'id'>;
    readonly todos: readonly Todo[];
    readonly derived: Derivations;
    readonly calls: readonly CallRecord[];
  },
): Todo[] {
  const { todo, todos, derived, calls } = workflow;
  if ((reply.completion ?? 0) < DONE_COMPLETION || reply.nextStep !== undefined) return [];
  return openDerived(todos, derived, todo.id).filter(({ id }) => {
    const derivation = derived[id];
    return derivation !== undefined && isSettled(derivation, calls);
  });
}
