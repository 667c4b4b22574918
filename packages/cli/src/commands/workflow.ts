import type { Command } from 'commander';
import { ExitCode } from '../exit.ts';
import { formatTime, textLines } from '../memory/lines.ts';
import { storeOptions, withMemory, type StoreFlags } from '../memory/store.ts';
import type { Session } from '../session.ts';

const examples = `
Examples:
  $ cairn workflow list                                   the last updated first
  $ cairn workflow show workflow_1703123456789_abc123     its steps, their results and its notes

A workflow is kept for 3 days after its last update.`;

async function list(flags: StoreFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    run: async (memory, { print, notice }) => {
      const all = await memory.workflows.list({ signal: session.signal });
      const lines = all.flatMap(({ id, goal, streamName, status, done, todos, updatedAt }) => {
        const heading = `${id} ${status}, ${done} of ${todos} done, ${formatTime(updatedAt)}, ${streamName}: `;
        return [...textLines(heading, goal, session)];
      });
      await print(lines, all);
      if (all.length === 0) await notice('there are no workflows');
      return all.length > 0 ? ExitCode.Hit : ExitCode.None;
    },
  });
}

async function show(id: string, flags: StoreFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    run: async (memory, { print }) => {
      const record = await memory.workflows.get(id, { signal: session.signal });
      const { goal, todos, notes, streamName, groupId, status, updatedAt, lease } = record;
      const run = lease === undefined ? '' : `, run by ${lease.owner} until ${formatTime(lease.expiresAt)}`;
      const lines = [
        ...textLines('goal: ', goal, session),
        ...textLines('stream: ', groupId === undefined ? streamName : `${streamName}, group ${groupId}`, session),
        ...textLines('status: ', `${status}, updated ${formatTime(updatedAt)}${run}`, session),
        ...todos.flatMap(({ id: todo, content, status: how, result }) => [
          ...textLines(`${todo} ${how}: `, content, session),
          ...(result === undefined ? [] : textLines('    result: ', JSON.stringify(result), session)),
        ]),
        ...notes.flatMap(({ content, source, time }) => [
          ...textLines(`note of ${source}, ${formatTime(time)}: `, content, session),
        ]),
      ];
      await print(lines, record);
      return ExitCode.Hit;
    },
  });
}

type CommandFactory = (command: Command, session: Session, done: (exitCode: number) => void) => void;

function finish(command: Command): void {
  for (const option of storeOptions()) command.addOption(option);
}

/** The commands by what is typed. */
export const workflowCommands: Readonly<Record<string, CommandFactory>> = {
  workflow: (command) =>
    command
      .description('The workflows that agents have begun, and how far they came.')
      .summary('workflows and how far they came')
      .addHelpText('after', examples),
  'workflow list': (command, session, done) => {
    command
      .description('List the workflows, the last updated first.')
      .action(async (flags: StoreFlags) => done(await list(flags, session)));
    finish(command);
  },
  'workflow show': (command, session, done) => {
    command
      .description('Show a workflow: its steps, their results and its notes.')
      .argument('<id>', 'the workflow')
      .action(async (id: string, flags: StoreFlags) => done(await show(id, flags, session)));
    finish(command);
  },
};
