import type { AgentWorkflows, WorkflowResponse, WorkOptions } from '@cairn/agents';
import { readText } from '../../terminal/input.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { settingsToContinue, type WorkFlags } from './settings.ts';
import { carryOut, openWorkflows, whenFree, withWorkPlace, workOptions } from './work.ts';

/** Continues a workflow with the streams, functions and tools that it began with. */
export async function continueWorkflow(
  id: string,
  flags: WorkFlags,
  session: Session,
  work: (workflows: AgentWorkflows, options: WorkOptions) => Promise<WorkflowResponse>,
): Promise<number> {
  return withWorkPlace(session, { flags, id }, async (place) => {
    const { memory, isShared, view } = place;
    const record = await memory.workflows.get(id, { signal: session.signal });
    const { settings, notices } = settingsToContinue(record, flags, { cwd: session.cwd, isShared });
    for (const notice of notices) view.notice(notice);
    const workflows = await openWorkflows(place, settings);
    const options = { signal: session.signal, onEvent: view.show };
    return carryOut(place, workflows, () => whenFree(place, id, () => work(workflows, options)));
  });
}

async function resume(id: string, given: string | undefined, flags: WorkFlags, session: Session): Promise<number> {
  const answer = given === '-' ? await readText(session.input, 'pipe the answer, or give it as an argument') : given;
  return continueWorkflow(id, flags, session, (workflows, options) => workflows.resume(id, { ...options, answer }));
}

const examples = `
Examples:
  $ cairn workflow resume workflow_1703123456789_abc123 '3 rows: name, age, city'    answers its question
  $ cairn workflow resume workflow_1703123456789_abc123 yes        approves the call that it waits with; all else rejects it
  $ cairn workflow resume workflow_1703123456789_abc123            after Ctrl-C, an error or a kill

It goes on with the functions, the model and the directory that it began with, unless options replace them. A call that was running
when its process was killed is not repeated: the model reads that its outcome is unknown.`;

export const workflowResumeCommand: CommandFactory = (command, session, done) => {
  command
    .description('Continue a workflow: with the answer that it waits for, or after its process has ended.')
    .summary('continue a workflow, or answer its question')
    .argument('<id>', 'the workflow')
    .argument('[answer]', 'the answer to its question; - reads standard input')
    .addHelpText('after', examples)
    .action(async (id: string, answer: string | undefined, flags: WorkFlags) =>
      done(await resume(id, answer, flags, session)),
    );
  for (const option of workOptions(false)) command.addOption(option);
};
