import type { Todo } from '@cairn/memory';

/** Returns the status of a step for a person: `partly done` when a part of its work is left, `closed` when it did not have to run. */
export type StatusOf = (todo: Pick<Todo, 'status' | 'completion' | 'closedBy'>) => string;

/** Loads the rule of the memory: the memory is loaded only by the commands that use it. */
export async function loadStatusOf(): Promise<StatusOf> {
  const { isPartlyDone } = await import('@cairn/memory/internal');
  return (todo) => (todo.closedBy !== undefined ? 'closed' : isPartlyDone(todo) ? 'partly done' : todo.status);
}
