import type { CommandFactory } from '../command.ts';
import { continueWorkflow } from './resume.ts';
import type { WorkFlags } from './settings.ts';
import { workOptions } from './work.ts';

export const workflowRetryCommand: CommandFactory = (command, session, done) => {
  command
    .description('Try the failed steps of a workflow again, or one of them, and go on with the open ones.')
    .summary('try the failed steps of a workflow again')
    .argument('<id>', 'the workflow')
    .argument('[todo]', 'the step, such as todo_1 (default: all that failed)')
    .action(async (id: string, todo: string | undefined, flags: WorkFlags) =>
      done(
        await continueWorkflow(id, flags, session, (workflows, options) => workflows.retry(id, { ...options, todo })),
      ),
    );
  for (const option of workOptions(false)) command.addOption(option);
};
