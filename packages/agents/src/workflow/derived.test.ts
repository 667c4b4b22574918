import type { Todo } from '@cairn/memory';
import { expect, test } from 'vitest';
import { closedBy, derivationOf, nextTodoId, openDerived } from './derived.ts';
import type { Derivation } from './derived.ts';
import type { CallRecord, StepReply } from './types.ts';

const added: Todo = { id: 'todo_2', content: 'send it', status: 'pending' };
const derivation: Derivation = { content: 'send it', from: 'todo_0', calls: 1, unfinished: [] };
const finished = { completion: 0.8 };

function callOf(id: number, name: string, status: CallRecord['status'], todoId = 'todo_1'): CallRecord {
  return { id: `call_${id}`, todoId, name, input: {}, status };
}

const answered = callOf(1, 'ask_user', 'done');

const table: readonly (readonly [
  reason: string,
  given: {
    readonly reply?: Pick<StepReply, 'completion' | 'nextStep'>;
    readonly derivation?: Partial<Derivation>;
    readonly added?: Partial<Todo>;
    readonly calls?: readonly CallRecord[];
  },
  isClosed: boolean,
])[] = [
  ['the user answered a later question', { calls: [answered] }, true],
  ['the user has not answered', { calls: [callOf(1, 'ask_user', 'asked')] }, false],
  ['nothing that was missing is there', {}, false],
  ['the answer was there before the step was added', { calls: [callOf(0, 'ask_user', 'done')] }, false],
  [
    'the question of the unfinished step itself is answered',
    { derivation: { question: 'call_0' }, calls: [callOf(0, 'ask_user', 'done', 'todo_0')] },
    true,
  ],
  ['another function was called', { derivation: { unfinished: ['mail'] }, calls: [callOf(1, 'write', 'done')] }, false],
  [
    'the call that had failed was made',
    { derivation: { unfinished: ['mail'] }, calls: [callOf(1, 'mail', 'done')] },
    true,
  ],
  ['the call failed again', { derivation: { unfinished: ['mail'] }, calls: [callOf(1, 'mail', 'failed')] }, false],
  ['a call of this function never failed', { calls: [callOf(1, 'mail', 'done')] }, false],
  ['the tenth call is after the ninth', { derivation: { calls: 9 }, calls: [callOf(10, 'ask_user', 'done')] }, true],
  ['the finished step states a next one', { reply: { ...finished, nextStep: 'send it' }, calls: [answered] }, false],
  ['the step is unfinished too', { reply: { completion: 0.79 }, calls: [answered] }, false],
  ['a person has changed the step', { added: { content: 'send it to Bob' }, calls: [answered] }, false],
  ['the step has begun', { added: { status: 'running' }, calls: [answered] }, false],
];

test.each(table)('closes a step or not: %s', (_, given, isClosed) => {
  const todos: Todo[] = [
    { id: 'todo_0', content: 'make it', status: 'done', completion: 0.5 },
    { id: 'todo_1', content: 'check it', status: 'running' },
    { ...added, ...given.added },
    { id: 'todo_3', content: 'a step of the plan', status: 'pending' },
  ];
  const derived = { todo_2: { ...derivation, ...given.derivation } };
  const closed = closedBy(given.reply ?? finished, {
    todo: { id: 'todo_1' },
    todos,
    derived,
    calls: given.calls ?? [],
  });
  expect(closed.map(({ id }) => id)).toEqual(isClosed ? ['todo_2'] : []);
});

test('a step does not close itself', () => {
  const derived = { todo_2: derivation };
  expect(openDerived([added], derived, 'todo_2')).toEqual([]);
  expect(openDerived([added], derived, 'todo_1')).toEqual([added]);
});

test('what an unfinished step lacks are its open question, and the functions whose last call did not succeed', () => {
  const calls = [
    callOf(0, 'mail', 'failed'),
    callOf(1, 'mail', 'done'),
    callOf(2, 'write', 'done'),
    callOf(3, 'write', 'unknown'),
    callOf(4, 'print', 'refused'),
    callOf(5, 'fax', 'failed', 'todo_0'),
    callOf(6, 'ask_user', 'asked'),
  ];
  expect(derivationOf('send it', { from: 'todo_1', calls, callCount: 7 })).toEqual({
    content: 'send it',
    from: 'todo_1',
    calls: 7,
    question: 'call_6',
    unfinished: ['write'],
  });
});

test.each([
  [[], 'todo_0'],
  [['todo_0', 'todo_9', 'todo_3'], 'todo_10'],
  [['mine', 'todo_x'], 'todo_0'],
])('after %j comes %s', (ids, expected) => {
  expect(nextTodoId(ids.map((id) => ({ id, content: '', status: 'done' })))).toBe(expected);
});
