import type { AgentWorkflows, WorkflowResponse, WorkOptions } from '@cairn/agents';
import { readText } from '../../terminal/input.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { settingsToContinue, workflowArgument, workOptions, type WorkFlags } from './settings.ts';
import { carryOut, openWorkflows, whenFree, withWorkPlace } from './work.ts';

/** Continues a workflow with the streams, functions and tools that it began with. */
async function continueWorkflow(
  id: string,
  flags: WorkFlags,
  context: CommandContext,
  work: (workflows: AgentWorkflows, options: WorkOptions) => Promise<WorkflowResponse>,
): Promise<number> {
  return withWorkPlace(context, { flags, id }, async (place) => {
    const { memory, isShared, view } = place;
    const record = await memory.workflows.get(id, { signal: context.signal });
    const { settings, notices } = settingsToContinue(record, flags, { cwd: context.cwd, isShared });
    for (const notice of notices) view.notice(notice);
    const workflows = await openWorkflows(place, settings);
    const options = { signal: context.signal, onEvent: view.show };
    return carryOut(place, workflows, () => whenFree(place, id, () => work(workflows, options)));
  });
}

const examples = `
Examples:
  $ cairn workflow resume workflow_1703123456789_abc123 '3 rows: name, age, city'    answers its question
  $ cairn workflow resume workflow_1703123456789_abc123 yes        approves the call that it waits with; all else rejects it
  $ cairn workflow resume workflow_1703123456789_abc123            after Ctrl-C, an error or a kill

It goes on with the functions, the model and the directory that it began with, unless options replace them. A call that was running
when its process was killed is not repeated: the model reads that its outcome is unknown.`;

export const workflowResumeCommand: CommandFactory = defineCommand({
  description: 'Continue a workflow: with the answer that it waits for, or after its process has ended.',
  summary: 'continue a workflow, or answer its question',
  args: [workflowArgument, ['[answer]', 'the answer to its question; - reads standard input']],
  options: workOptions(false),
  examples,
  run: async (context, flags, id, given) => {
    const answer = given === '-' ? await readText(context.input, 'pipe the answer, or give it as an argument') : given;
    return continueWorkflow(id, flags, context, (workflows, options) => workflows.resume(id, { ...options, answer }));
  },
});

export const workflowRetryCommand: CommandFactory = defineCommand({
  description: 'Try the failed steps of a workflow again, or one of them, and go on with the open ones.',
  summary: 'try the failed steps of a workflow again',
  args: [workflowArgument, ['[todo]', 'the step, such as todo_1 (default: all that failed)']],
  options: workOptions(false),
  run: (context, flags, id, todo) =>
    continueWorkflow(id, flags, context, (workflows, options) => workflows.retry(id, { ...options, todo })),
});
