import { z } from 'zod';
import { makeAction } from './calls.ts';
import { ASK_USER } from './functions/ask-user.ts';
import { isFunctionName } from './functions/resolve-action.ts';
import type { Journal } from './journal.ts';
import { loopTexts } from './loop-texts.ts';
import { runLoop, storeAnswer } from './loop.ts';
import { calledActions } from './replies/actions.ts';
import { parseDecision } from './replies/decision.ts';
import { decisionPrompt } from './replies/prompts.ts';
import { conversationOf, endWork, recalledFor, type WorkflowContext } from './workflow-context.ts';
import { runTurn, type TurnPrompt } from './turn.ts';
import { MAX_REPEATS } from './verdict.ts';
import type { WorkflowResponse } from './workflows-api.ts';

export const CREATE_TODOS = 'create_todos';

/** The input of the tool that decides for a workflow. Its absence is the decision for a simple answer. */
const decisionSchema = z.strictObject({
  todos: z
    .array(z.string().trim().min(1))
    .min(1)
    .describe('The steps in their order, each one sentence. A step that asks the user is a step.'),
});

type TodoList = z.infer<typeof decisionSchema>;

export interface Request {
  readonly question: string;
  /** The id of its message, which the conversation already has. */
  readonly messageId: string | undefined;
  readonly enableTodo: boolean;
  /** Creates the record of the workflow, with these todos. */
  readonly begin: (todos: readonly string[]) => Promise<Journal>;
}

type Answer =
  | { readonly kind: 'todos'; readonly todos: readonly string[] }
  | { readonly kind: 'text'; readonly text: string }
  /** `todos`: of the same answer. */
  | { readonly kind: 'paused'; readonly todos?: readonly string[] }
  | { readonly kind: 'invalid'; readonly problem: string };

/** Reads an answer in text: a decision, an answer for the user, and the calls that it has as text. */
async function readText(
  session: WorkflowContext,
  { text, isCut }: { readonly text: string; readonly isCut: boolean },
  { enableTodo, journal }: { readonly enableTodo: boolean; readonly journal: () => Promise<Journal> },
): Promise<Answer> {
  const { functions, language, emit } = session;
  const texts = loopTexts[language];
  if (text.trim() === '') return { kind: 'invalid', problem: texts.emptyAnswer };
  const decision = enableTodo ? parseDecision(text, { language }) : ({ kind: 'simple', answer: text } as const);
  if (decision.kind === 'invalid') return decision;
  if (decision.kind === 'complex') {
    // A half list is not the whole one.
    return isCut ? { kind: 'invalid', problem: texts.cutAnswer } : { kind: 'todos', todos: decision.todos };
  }
  // Other brackets are text.
  const { called, quoted, rest } = calledActions(decision.answer, (name) => isFunctionName(functions, name));
  for (const action of quoted) emit({ type: 'notice', text: texts.notCalled(action.text) });
  const outputs: string[] = [];
  for (const action of called) {
    const made = await makeAction({ ...session, journal }, action, 'todo_0');
    if (made === undefined) return { kind: 'paused' };
    if (made.isError) outputs.push(texts.error(made.output));
    // The model does not read it any more, so that the user does.
    else if (rest === '' || made.isReadOnly) outputs.push(made.output);
  }
  const answer = [rest, ...outputs, ...(isCut ? [texts.cutShown] : [])].filter((part) => part !== '').join('\n\n');
  return { kind: 'text', text: answer };
}

async function requestAnswer(
  session: WorkflowContext,
  request: Request,
  journal: () => Promise<Journal>,
): Promise<Answer> {
  const { language, system } = session;
  const { question, messageId, enableTodo } = request;
  const texts = loopTexts[language];
  // The model asks the user in its answer.
  const functions = session.functions.filter(({ name }) => name !== ASK_USER);
  const control = enableTodo
    ? { name: CREATE_TODOS, description: texts.createTodos, inputSchema: decisionSchema }
    : undefined;
  let problem: string | undefined;
  const prompt = async (): Promise<TurnPrompt> => {
    const { messages, ids } = await conversationOf(session, messageId);
    const recalled = await recalledFor(session, { query: question, shown: new Set([...ids, messageId ?? '']) });
    const parts = [
      recalled,
      enableTodo ? decisionPrompt({ question, stream: session.stream, functions, language }) : question,
      problem === undefined ? '' : texts.problem(problem),
    ];
    const content = parts.filter((part) => part !== '').join('\n\n');
    return { system, messages: [...messages, { role: 'user', content }] };
  };
  for (let tries = 0; ; tries += 1) {
    const end = await runTurn({ ...session, functions, journal, prompt, control, todoId: undefined });
    if (end.kind === 'paused') {
      return { kind: 'paused', ...(end.input !== undefined && { todos: (end.input as TodoList).todos }) };
    }
    if (end.kind === 'control') return { kind: 'todos', todos: (end.input as TodoList).todos };
    const answer = await readText({ ...session, functions }, end, { enableTodo, journal });
    if (answer.kind !== 'invalid' || tries >= MAX_REPEATS) return answer;
    ({ problem } = answer);
  }
}

/** Lets the model answer, or decide on todos. Its first call creates the record, with the request as the only step. */
export async function answerRequest(session: WorkflowContext, request: Request): Promise<WorkflowResponse> {
  const { emit } = session;
  const { question, begin } = request;
  let begun: Promise<Journal> | undefined;
  const answer = await requestAnswer(session, request, () => (begun ??= begin([question])));
  const journal = await begun;
  const todos = answer.kind === 'todos' || answer.kind === 'paused' ? answer.todos : undefined;
  if (todos !== undefined) {
    emit({ type: 'decision', kind: 'complex', todos });
    if (journal === undefined) return runLoop(session, await begin(todos));
    // While a call waits, the request stays open: its step reads what the person decides.
    const done = answer.kind === 'todos' && { todos: { todo_0: { status: 'done', completion: 1 } as const } };
    await journal.update({}, { ...done, addTodos: todos });
    return runLoop(session, journal);
  }
  emit({ type: 'decision', kind: 'simple', todos: [] });
  const reason = answer.kind === 'invalid' ? answer.problem : undefined;
  if (journal) {
    if (reason !== undefined) {
      await journal.update({}, { todos: { todo_0: { status: 'failed', result: reason } } });
    } else if (answer.kind === 'text') {
      const todo = { status: 'done', completion: 1, result: answer.text } as const;
      await journal.update({ answer: answer.text }, { todos: { todo_0: todo } });
    }
    return { ...(await runLoop(session, journal)), kind: 'simple' };
  }
  const text = answer.kind === 'text' ? answer.text : (reason ?? '');
  await storeAnswer(session, undefined, text);
  const status = answer.kind === 'text' ? 'done' : 'failed';
  return { ...endWork(session, { todos: [] }, { status, text, reason }), kind: 'simple' };
}
