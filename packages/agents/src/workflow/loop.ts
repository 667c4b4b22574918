import { MemoryError, type Todo } from '@cairn/memory';
import { isPartlyDone } from '@cairn/memory/internal';
import type { Fields } from '@cairn/tool';
import { truncateLine } from '@cairn/tool/prompt';
import { z } from 'zod';
import { AgentError, type AgentErrorCode } from '../errors.ts';
import { makeAction, runCall } from './calls.ts';
import { isFunctionName } from './functions/resolve-action.ts';
import { closedBy, derivationOf, nextTodoId, openDerived } from './derived.ts';
import type { Journal } from './journal.ts';
import { loopTexts } from './loop-texts.ts';
import { stepPrompt } from './replies/prompts.ts';
import { parseReply, replyOfReport } from './replies/step-reply.ts';
import { callsFor, conversationOf, endWork, recalledFor, type WorkflowContext } from './workflow-context.ts';
import { runTurn, type TurnPrompt } from './turn.ts';
import type { CallRecord, StepReply } from './types.ts';
import { MAX_ITERATIONS, verdictOf, type Verdict } from './verdict.ts';
import { waitsForOf, type WorkflowResponse } from './workflows-api.ts';

export const FINISH_STEP = 'finish_step';

const stepSchema = z.strictObject({
  completion: z.number().min(0).max(1).describe('How far the current task is, from 0 to 1. 0.8 or more is done.'),
  next_step: z.string().nullish().describe('What to do next, when more steps are needed. Otherwise omit it.'),
  note: z.string().nullish().describe('What later steps must know. Otherwise omit it.'),
  result: z.string().nullish().describe('What the step found or made, for the user. Otherwise omit it.'),
});

/** Errors that the next request would meet too, and that no step is to blame for. The workflow can be resumed after them. */
const FATAL: readonly AgentErrorCode[] = ['NO_MODEL', 'MODEL_DENIED', 'MODEL_REFUSED'];
/** Errors of the model server, after which no other step would do better. */
const UNAVAILABLE: readonly AgentErrorCode[] = ['MODEL_BUSY', 'MODEL_FAILED', 'MODEL_UNAVAILABLE'];

function isOpenTodo({ status }: Todo): boolean {
  return status === 'pending' || status === 'running' || status === 'waiting';
}

/** The prompt of a step. It is made again when the turn continues from the record. */
async function promptOf(session: WorkflowContext, journal: Journal, todo: Todo): Promise<TurnPrompt> {
  const { store, stream, functions, system, language } = session;
  const { record, state } = journal;
  const notes = await store.getNotes(record.id, { signal: session.signal });
  const { messages, ids } = await conversationOf(session);
  const query = todo.content;
  const recalled = await recalledFor(session, { query, workflowId: record.id, shown: ids, notes });
  const { calls, left } = callsFor(state.calls, todo.id);
  const derived = openDerived(record.todos, state.derived ?? {}, todo.id);
  const prompt = stepPrompt({ stream, workflow: record, todo, notes, functions, calls, recalled, derived, language });
  const more = left === 0 ? '' : `\n\n${loopTexts[language].callsLeftOut(left)}`;
  return { system, messages: [...messages, { role: 'user', content: `${prompt}${more}` }] };
}

interface Try {
  readonly reply?: StepReply;
  readonly answer?: string | undefined;
  readonly errors: readonly string[];
  /** A call waits for a person. `asked`: the user was asked by an answer in text, which reports on the step too. */
  readonly waits?: 'paused' | 'asked';
  readonly failure?: unknown;
}

async function makeActions(
  session: WorkflowContext,
  journal: Journal,
  { reply, todo }: { readonly reply: StepReply; readonly todo: Todo },
): Promise<Pick<Try, 'errors' | 'waits'>> {
  const errors: string[] = [];
  for (const [index, action] of reply.actions.entries()) {
    const made = await makeAction({ ...session, journal: async () => journal }, action, todo.id);
    if (made === undefined) {
      // Actions after the question are not made: the model decides about them when it knows the answer.
      const isLast = index === reply.actions.length - 1;
      return { errors, waits: isLast && journal.pending?.status === 'asked' ? 'asked' : 'paused' };
    }
    if (made.isError) errors.push(made.output);
  }
  return { errors };
}

/** Lets the model work on a step once. @throws whatever no step is to blame for. */
async function tryStep(session: WorkflowContext, journal: Journal, todo: Todo): Promise<Try> {
  const { language } = session;
  const texts = loopTexts[language];
  try {
    const end = await runTurn({
      ...session,
      journal: async () => journal,
      prompt: () => promptOf(session, journal, todo),
      control: { name: FINISH_STEP, description: texts.finishStep, inputSchema: stepSchema },
      todoId: todo.id,
    });
    const read = (input: unknown): StepReply => replyOfReport(input as Fields, { language });
    if (end.kind === 'paused') {
      // Of a report that came before the person answered, only the note counts.
      return { errors: [], waits: 'paused', ...(end.input !== undefined && { reply: read(end.input) }) };
    }
    if (end.kind === 'control') {
      const report = read(end.input);
      const nextTo = end.text.trim();
      const reply = nextTo === '' ? report : { ...report, unread: [...report.unread, nextTo] };
      return { reply, answer: reply.result ?? (nextTo === '' ? undefined : nextTo), errors: reply.problems };
    }
    // A half answer may lack half of an action.
    if (end.isCut) return { errors: [texts.cutAnswer] };
    if (end.text.trim() === '') return { errors: [texts.emptyAnswer] };
    const reply = parseReply(end.text, { language, isFunction: (name) => isFunctionName(session.functions, name) });
    const { errors, waits } = await makeActions(session, journal, { reply, todo });
    // The labels of the prompt have no other text for the user than the note.
    const answer = textOf(reply);
    return { reply, answer, errors: [...reply.problems, ...errors], ...(waits && { waits }) };
  } catch (error) {
    if (!AgentError.isInstance(error) || FATAL.includes(error.code)) throw error;
    return { errors: [error.message], failure: error };
  }
}

function textOf({ result, unread, note }: StepReply): string | undefined {
  const text = result ?? (unread.length > 0 ? unread.join('\n') : note);
  return text === '' ? undefined : text;
}

async function storeNotes(
  { store, language, emit }: WorkflowContext,
  { journal, todo, outcome }: { readonly journal: Journal; readonly todo: Todo; readonly outcome: Try },
): Promise<void> {
  const { reply, errors } = outcome;
  const notes = [...(reply?.note === undefined ? [] : [reply.note]), ...errors.map(loopTexts[language].error)];
  for (const note of notes) {
    const text = truncateLine(note, MAX_NOTE);
    const { secrets } = await store.storeNote(journal.record.id, text, todo.id, { temporary: true });
    if (secrets) emit({ type: 'notice', text: loopTexts[language].secretInNote(todo.id, secrets) });
  }
}

/** Works on a step once, and records what became of it. @returns the reason why the workflow cannot go on. */
async function runStep(session: WorkflowContext, journal: Journal, todo: Todo): Promise<string | undefined> {
  const tries = journal.state.tries[todo.id] ?? 0;
  const outcome = await tryStep(session, journal, todo);
  const { reply, errors, waits, failure } = outcome;
  await storeNotes(session, { journal, todo, outcome });
  // The report of a step whose calls wait came too early: the step goes on after them.
  if (waits === 'paused') return undefined;
  const { todos } = journal.record;
  const asked = waits === 'asked';
  const verdict = verdictOf({ todo, reply, hasErrors: errors.length > 0, tries, todos, asked });
  // A question whose answer no other step would read leaves its own step open.
  const hasOthers = todos.some((one) => one.id !== todo.id && isOpenTodo(one));
  const isAnswerRead = verdict.status !== 'done' || verdict.addTodo !== undefined || hasOthers;
  if (asked && !isAnswerRead) return undefined;
  await recordVerdict(session, { journal, todo, outcome, verdict });
  const isAway = AgentError.isInstance(failure) && UNAVAILABLE.includes(failure.code);
  return verdict.status === 'failed' && isAway ? failure.message : undefined;
}

/** Records the end of a try, with the step that it adds and the steps that it closes, in one step. */
async function recordVerdict(
  { language, emit }: WorkflowContext,
  { journal, todo, outcome, verdict }: { journal: Journal; todo: Todo; outcome: Try; verdict: Verdict },
): Promise<void> {
  const texts = loopTexts[language];
  const { reply, answer, errors, waits } = outcome;
  const { state, record } = journal;
  const { status, completion } = verdict;
  const reason = status === 'done' ? undefined : (errors.at(-1) ?? texts.incomplete(completion ?? 0));
  const result = status === 'failed' ? reason : reply && textOf(reply);
  const stated = completion === undefined ? {} : { completion };
  const addTodo = status === 'done' ? verdict.addTodo : undefined;
  const { calls, callCount, derived = {} } = state;
  const closed = status === 'done' && reply ? closedBy(reply, { todo, todos: record.todos, derived, calls }) : [];
  const isRepeat = status !== 'done' && waits !== 'asked';
  const change = {
    ...(isRepeat && { tries: { ...state.tries, [todo.id]: (state.tries[todo.id] ?? 0) + 1 } }),
    ...(status === 'done' && answer !== undefined && { answer: truncateLine(answer, MAX_ANSWER) }),
  };
  const done = { status: 'done', closedBy: todo.id, result: texts.closed(todo.id) } as const;
  const todos = {
    [todo.id]: { status, ...stated, ...(status !== 'pending' && result !== undefined && { result }) },
    ...Object.fromEntries(closed.map(({ id }) => [id, done])),
  };
  if (addTodo === undefined) {
    await journal.update(change, { todos });
  } else {
    const added = derivationOf(addTodo, { from: todo.id, calls, callCount });
    const withAdded = { ...derived, [nextTodoId(record.todos)]: added };
    await journal.update({ ...change, derived: withAdded }, { todos, addTodos: [addTodo] });
  }
  emit({
    type: 'todo-end',
    todo: todo.id,
    status,
    ...stated,
    ...(reason !== undefined && waits === undefined && { reason }),
    ...(addTodo !== undefined && { added: addTodo }),
  });
  for (const { id } of closed) emit({ type: 'todo-end', todo: id, status: 'done', closedBy: todo.id });
}

/** In UTF-16 code units. A longer note would hide the others. */
const MAX_NOTE = 2000;
const MAX_ANSWER = 50_000;

/** Settles the calls that a runner left unfinished: those that change nothing run again, the outcome of others is unknown. */
export async function settleUnfinished(session: WorkflowContext, journal: Journal): Promise<void> {
  for (const call of journal.state.calls.filter(({ status }) => status === 'running')) {
    const fn = session.functions.find(({ name }) => name === call.name);
    if (fn?.isReadOnly) await runCall(call, fn, { ...session, journal: async () => journal });
    else await journal.change(call.id, { status: 'unknown' });
  }
}

/** Stores an answer of the workflow in the conversation of the group. Repeating it stores nothing. */
export async function storeAnswer(
  { stream, group, usesMemory, signal }: WorkflowContext,
  id: string | undefined,
  text: string,
): Promise<void> {
  if (!usesMemory || group === undefined) return;
  await stream.addMessage(group, { id, role: 'assistant', content: text }, { signal }).catch((error: unknown) => {
    // Another process stored it, in other words, and ended before it recorded that.
    if (!MemoryError.isInstance(error) || error.code !== 'MESSAGE_EXISTS') throw error;
  });
}

/** The arguments of a call in a question, in UTF-16 code units. */
const MAX_SHOWN = 1000;

export function questionOf(
  { status, name, input }: CallRecord,
  { language }: Pick<WorkflowContext, 'language'>,
): string {
  if (status === 'asked') {
    const { question } = (input ?? {}) as { readonly question?: unknown };
    return typeof question === 'string' && question !== '' ? question : JSON.stringify(input);
  }
  return loopTexts[language].approve(name, truncateLine(JSON.stringify(input), MAX_SHOWN));
}

async function waitFor(session: WorkflowContext, journal: Journal, call: CallRecord): Promise<WorkflowResponse> {
  const { id, todos } = journal.record;
  const question = questionOf(call, session);
  const isOpen = todos.some((todo) => todo.id === call.todoId && isOpenTodo(todo));
  const record = await journal.run.wait({ question, ...(isOpen && { todoId: call.todoId }) });
  await storeAnswer(session, `${id}_${call.id}`, question);
  const waitsFor = waitsForOf(call);
  if (waitsFor.kind === 'answer') session.emit({ type: 'question', workflow: id, text: question });
  else session.emit({ type: 'approval', workflow: id, call });
  return endWork(session, record, { status: 'waiting', text: question, waitsFor });
}

/** The text that the user gets at the end: the last result, with what failed and what was done in part. */
export function answerOf(
  { record, state }: Pick<Journal, 'record' | 'state'>,
  { language }: Pick<WorkflowContext, 'language'>,
  reason?: string,
): string {
  const texts = loopTexts[language];
  const failed = record.todos.filter(({ status }) => status === 'failed');
  const partial = record.todos.filter(isPartlyDone);
  const open = record.todos.filter(isOpenTodo);
  const parts = [
    state.answer ?? (failed.length === 0 && reason === undefined ? texts.done(record.todos) : ''),
    reason ?? '',
    failed.length > 0 ? texts.failedTodos(failed) : '',
    open.length > 0 ? texts.openTodos(open) : '',
    // When all steps are done, later ones finished these parts.
    failed.length + open.length > 0 && partial.length > 0 ? texts.partial(partial) : '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Ends the workflow: with its answer in the conversation first, so that a kill in between loses nothing. */
async function finish(session: WorkflowContext, journal: Journal, stopped?: string): Promise<WorkflowResponse> {
  const { id, todos } = journal.record;
  const failed = todos.filter(({ status }) => status === 'failed');
  const status = stopped === undefined && failed.length === 0 ? 'done' : 'failed';
  const text = answerOf(journal, session, stopped);
  const reason = stopped ?? loopTexts[session.language].failedTodos(failed);
  await storeAnswer(session, `${id}_answer_${journal.state.answers}`, text);
  const failure = status === 'failed' ? { reason } : {};
  const record = await journal.run.finish({ status, notes: session.notes, ...failure });
  return endWork(session, record, { status, text, ...failure });
}

/** Works on the open steps in order, also after a failed one: they read why it failed. The workflow has then failed as a whole. */
export async function runLoop(outer: WorkflowContext, journal: Journal): Promise<WorkflowResponse> {
  const lost = journal.run.signal;
  const signal = outer.signal ? AbortSignal.any([outer.signal, lost]) : lost;
  const session = { ...outer, signal };
  const { emit, language } = session;
  for (;;) {
    signal.throwIfAborted();
    const { pending, record, state } = journal;
    if (pending) return waitFor(session, journal, pending);
    const todo = record.todos.find(isOpenTodo);
    if (todo === undefined) return finish(session, journal);
    const iterations = state.isContinued === true ? state.iterations : state.iterations + 1;
    if (iterations > MAX_ITERATIONS) return finish(session, journal, loopTexts[language].tooMany(MAX_ITERATIONS));
    await journal.update({ iterations, isContinued: false }, { todos: { [todo.id]: { status: 'running' } } });
    emit({ type: 'todo-start', todo: todo.id, content: todo.content, attempt: (state.tries[todo.id] ?? 0) + 1 });
    const stopped = await runStep(session, journal, todo);
    if (stopped !== undefined) return finish(session, journal, stopped);
  }
}
