import type { Todo } from '@cairn/memory';
import { expect, test } from 'vitest';
import { verdictOf } from './verdict.ts';
import type { StepTry, Verdict } from './verdict.ts';

const todo: Todo = { id: 'todo_0', content: 'create the file', status: 'running' };
const open: Todo = { id: 'todo_1', content: 'Send the  file.', status: 'pending' };
const done: Todo = { id: 'todo_2', content: 'check the file', status: 'done' };

const table: readonly (readonly [reason: string, given: Partial<StepTry>, expected: Verdict])[] = [
  ['0.8 is done', { reply: { completion: 0.8 } }, { status: 'done', completion: 0.8 }],
  [
    '0.8 with a next step is done too',
    { reply: { completion: 0.8, nextStep: 'more' } },
    { status: 'done', completion: 0.8 },
  ],
  ['below without a next step is repeated', { reply: { completion: 0.79 } }, { status: 'pending', completion: 0.79 }],
  ['the third repeat', { reply: { completion: 0.5 }, tries: 2 }, { status: 'pending', completion: 0.5 }],
  ['after 3 repeats it has failed', { reply: { completion: 0.5 }, tries: 3 }, { status: 'failed', completion: 0.5 }],
  [
    'below with a next step is done in part, and the step is added',
    { reply: { completion: 0.5, nextStep: 'publish' }, tries: 3 },
    { status: 'done', completion: 0.5, addTodo: 'publish' },
  ],
  [
    'an equal open todo is not added again',
    { reply: { completion: 0.5, nextStep: 'send the ｆile' } },
    { status: 'done', completion: 0.5 },
  ],
  [
    'a todo that is done does not count as open',
    { reply: { completion: 0, nextStep: 'check the file' } },
    { status: 'done', completion: 0, addTodo: 'check the file' },
  ],
  [
    'a next step that is the step itself is a repeat',
    { reply: { completion: 0.5, nextStep: 'Create the file' } },
    { status: 'pending', completion: 0.5 },
  ],
  [
    'an error is repeated, whatever the completion',
    { reply: { completion: 1 }, hasErrors: true },
    { status: 'pending', completion: 1 },
  ],
  [
    'an error with a next step is repeated',
    { reply: { completion: 0.5, nextStep: 'publish' }, hasErrors: true },
    { status: 'pending', completion: 0.5 },
  ],
  ['the fourth error has failed', { reply: undefined, hasErrors: true, tries: 3 }, { status: 'failed' }],
  ['a reply without a completion is repeated', { reply: {} }, { status: 'pending' }],
  [
    'a step that asked is not to blame',
    { reply: { completion: 0.1 }, asked: true, tries: 3 },
    { status: 'pending', completion: 0.1 },
  ],
  ['a step that asked and is done', { reply: { completion: 0.9 }, asked: true }, { status: 'done', completion: 0.9 }],
];

test.each(table)('%s', (_, given, expected) => {
  const base: StepTry = { todo, reply: undefined, hasErrors: false, tries: 0, todos: [todo, open, done], asked: false };
  expect(verdictOf({ ...base, ...given })).toEqual(expected);
});
