import type { EditedTodo, Todo, WorkflowRecord } from '@cairn/memory';
import { applyOption, editText, keptIn, readKept, type Edited } from '../../terminal/editor.ts';
import { CommandError, describe, factsOf, UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { memoryCommand, type MemoryPlace } from '../memory/memory-command.ts';
import { workflowArgument } from './settings.ts';

/** The code of the error when another process changed the steps during the edit. */
const CONFLICT = 'CONFLICT';

/** Stands for a line break within a step. */
const BREAK = ' ⏎ ';

function isOpen({ status }: Todo): boolean {
  return status !== 'done' && status !== 'failed';
}

function shown({ content }: Pick<Todo, 'content'>): string {
  return content
    .trim()
    .split(/\s*(?:\r\n|[\n\r\u2028\u2029])\s*/u)
    .join(BREAK);
}

function textOf({ id, goal, todos }: WorkflowRecord): string {
  return [
    `# The open steps of ${id}: ${shown({ content: goal })}`,
    '# One line each. Change, move or remove lines; a line without an id adds a step.',
    "# Lines that begin with # are not steps. '⏎' is a line break within a step.",
    ...todos.filter(isOpen).map((todo) => `[${todo.id}] ${shown(todo)}`),
    '',
  ].join('\n');
}

/** Returns the steps of an edited text. @throws {UsageError} for a line that is not one. */
function parse(text: string, open: readonly Todo[]): EditedTodo[] {
  return text.split(/\r\n|\r|\n/u).flatMap((line, index): EditedTodo[] => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    const [, id, rest = trimmed] = /^\[(todo_\d+)\](.*)$/u.exec(trimmed) ?? [];
    const written = rest.trim();
    if (written === '')
      throw new UsageError(`line ${index + 1} has no text`, 'write the step after its id, or remove the line');
    const before = open.find((todo) => todo.id === id);
    const content =
      before !== undefined && shown(before) === written
        ? before.content
        : written
            .split(BREAK.trim())
            .map((part) => part.trim())
            .join('\n');
    return [{ ...(id !== undefined && { id }), content }];
  });
}

/** What an edit did to the open steps. */
function changesOf(before: readonly Todo[], after: readonly Todo[]): string[] {
  const kept = after.filter(({ id }) => before.some((todo) => todo.id === id));
  const changed = kept.filter((todo) => before.find(({ id }) => id === todo.id)?.content !== todo.content).length;
  const order = before.filter(({ id }) => kept.some((todo) => todo.id === id)).map(({ id }) => id);
  // A new step between others moves them, which is not a new order.
  const isMoved = kept.some(({ id }, index) => id !== order[index]);
  const counts = { added: after.length - kept.length, changed, removed: before.length - kept.length };
  const isChanged = JSON.stringify(before) !== JSON.stringify(after);
  if (!isChanged) return [];
  return [
    ...Object.entries(counts).map(([what, count]) => `${what} ${count}`),
    ...(isMoved ? ['changed the order'] : []),
  ];
}

function applyFixOf(id: string): (file: string) => string {
  return (file) => `run 'cairn workflow edit ${id} --apply ${file}' with the same options`;
}

/** Replaces the open steps of a workflow by the steps of an edited text. */
async function apply(
  { id, todos }: WorkflowRecord,
  { text, original }: Edited,
  { memory: { workflows }, signal }: MemoryPlace,
): Promise<WorkflowRecord> {
  const edited = parse(text, todos.filter(isOpen));
  if (edited.length === 0) {
    throw new UsageError('no open step is left', `keep one, or use 'cairn workflow cancel ${id}'`);
  }
  if (textOf(await workflows.get(id, { signal })) !== original) {
    const message = `the steps of ${id} changed since the edit began`;
    const fix = `run 'cairn workflow edit ${id}' again, and take over your changes`;
    throw new CommandError({ code: CONFLICT, message, fix });
  }
  return workflows.editTodos(id, edited, { signal });
}

/** Returns the error for an edit that could not be applied. The edited text is kept. */
function failureOf(cause: unknown, id: string, file: string): CommandError {
  const { code, message, fix } = factsOf(cause);
  const isConflict = code === CONFLICT;
  const stated = (isConflict ? message : describe({ code, message, fix })).replace(/\.$/u, '');
  return new CommandError(
    {
      code,
      message: `${stated}; nothing was changed; ${keptIn(file)}`,
      fix: isConflict ? fix : `correct it, then ${applyFixOf(id)(file)}`,
      changed: false,
    },
    { cause },
  );
}

const examples = `
Examples:
  $ cairn workflow edit workflow_1703123456789_abc123      in VISUAL or EDITOR, one line a step
  $ cairn workflow resume workflow_1703123456789_abc123    goes on with them

Finished steps stay as they are. A workflow that a process works on cannot be edited: stop it with Ctrl-C first.`;

export const workflowEditCommand: CommandFactory = memoryCommand({
  description:
    'Edit the open steps of a workflow, such as one that waits for you: change, add, remove or reorder them.',
  summary: 'edit the open steps of a workflow in your editor',
  args: [workflowArgument],
  options: [applyOption],
  examples,
  run: async (place, flags, id) => {
    const { memory, context, signal, print, notice } = place;
    const before = await memory.workflows.get(id, { signal });
    if (flags.apply === undefined && before.status !== 'waiting' && before.status !== 'running') {
      const message = `the workflow ${id} is ${before.status}; its steps cannot be edited`;
      const fix = "use 'cairn workflow retry' for failed steps";
      throw new CommandError({ code: 'WORKFLOW_FINISHED', message, fix, changed: false });
    }
    const current = textOf(before);
    const edit = { name: `${id}.txt`, instead: "use '--apply <file>'", applyFix: applyFixOf(id) };
    const edited =
      flags.apply === undefined
        ? await editText(current, context, edit)
        : // One that a person wrote is for the steps as they are.
          await readKept(flags.apply, context, { command: 'cairn workflow edit', current });
    if (edited === undefined || edited.text.trim() === '') {
      await edited?.remove();
      notice(`the text ${edited === undefined ? 'was not changed' : 'is empty'}; nothing was done`);
      await print([], before);
      return ExitCode.None;
    }
    const after = await apply(before, edited, place).catch((error: unknown) =>
      Promise.reject(failureOf(error, id, edited.file)),
    );
    await edited.remove();
    const left = after.todos.filter(isOpen);
    const changes = changesOf(before.todos.filter(isOpen), left);
    notice(
      `${changes.length === 0 ? 'nothing was changed' : changes.join(', ')}: ${countOf(left.length, 'open step')}`,
    );
    await print([], after);
    return changes.length === 0 ? ExitCode.None : ExitCode.Hit;
  },
});
