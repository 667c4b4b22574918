/** The commands on the records of workflows. */
import { isObject } from '@cairn/tool/kernel';
import { truncateLine } from '@cairn/tool/prompt';
import { ExitCode } from '../../terminal/exit.ts';
import { filled } from '../../terminal/options.ts';
import type { CommandFactory } from '../command.ts';
import { formatTime, textLines } from '../memory/lines.ts';
import { memoryCommand } from '../memory/memory-command.ts';
import { workflowArgument } from './settings.ts';
import { loadStatusOf } from './workflow-view.ts';

/** Returns the calls that the loop keeps in its state. Another program may keep something else. */
function callsOf(state: unknown) {
  const calls = isObject(state) ? state['calls'] : undefined;
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).flatMap(({ id, todoId, status, name, input, output }) => {
    if (![id, todoId, status, name].every((value) => typeof value === 'string')) return [];
    const result = typeof output === 'string' ? ` -> ${output}` : '';
    const text = truncateLine(`${String(name)} ${JSON.stringify(input) ?? ''}${result}`, MAX_CALL);
    return [{ id: String(id), todoId: String(todoId), status: String(status), text }];
  });
}

/** The columns of a call. `--json` has it whole. */
const MAX_CALL = 400;

export const workflowShowCommand: CommandFactory = memoryCommand({
  description: 'Show a workflow: its steps, their results, its calls and its notes.',
  summary: 'show the steps, results and notes of a workflow',
  args: [workflowArgument],
  run: async ({ memory, context, signal, print }, _, id) => {
    const record = await memory.workflows.get(id, { signal });
    const statusOf = await loadStatusOf();
    const { goal, todos, notes, streamName, groupId, status, reason, question, updatedAt, lease, state } = record;
    const run = lease === undefined ? '' : `, run by ${lease.owner} until ${formatTime(lease.expiresAt)}`;
    const lines = [
      ...textLines('goal: ', goal, context),
      ...textLines('stream: ', groupId === undefined ? streamName : `${streamName}, group ${groupId}`, context),
      ...textLines('status: ', `${status}, updated ${formatTime(updatedAt)}${run}`, context),
      ...(reason === undefined ? [] : textLines('reason: ', reason, context)),
      ...(status === 'waiting' && question?.text !== undefined
        ? textLines(`question of ${formatTime(question.time)}: `, question.text, context)
        : []),
      ...todos.flatMap(({ id: todo, content, result, ...how }) => [
        ...textLines(`${todo} ${statusOf(how)}: `, content, context),
        ...(result === undefined ? [] : textLines('    result: ', JSON.stringify(result), context)),
      ]),
      ...callsOf(state).flatMap((call) => [
        ...textLines(`${call.id} of ${call.todoId} ${call.status}: `, call.text, context),
      ]),
      ...notes.flatMap(({ content, source, time }) => [
        ...textLines(`note of ${source}, ${formatTime(time)}: `, content, context),
      ]),
    ];
    await print(lines, record);
    return ExitCode.Hit;
  },
});

export const workflowListCommand: CommandFactory = memoryCommand({
  description: 'List the workflows, last updated first.',
  run: async ({ memory, context, signal, printMatches, notice }) => {
    const all = await memory.workflows.list({ signal });
    if (all.length === 0) notice('there are no workflows');
    const lines = all.flatMap(({ id, goal, streamName, status, done, partlyDone, todos, updatedAt }) => {
      const partly = partlyDone === 0 ? '' : `, ${partlyDone} partly`;
      const heading = `${id} ${status}, ${done - partlyDone} of ${todos} done${partly}, ${formatTime(updatedAt)}, ${streamName}: `;
      return [...textLines(heading, goal, context)];
    });
    return printMatches(lines, all);
  },
});

export const workflowCancelCommand: CommandFactory = memoryCommand({
  description: 'End a workflow. A process that works on it stops before the next call.',
  summary: 'end a workflow',
  args: [workflowArgument],
  options: [['--reason <text>', 'why, for its record', filled]],
  run: async ({ memory, signal, print }, { reason }, id) => {
    const record = await memory.workflows.cancel(id, { reason, signal });
    await print([`cancelled ${record.id}`], record);
    return ExitCode.Hit;
  },
});
