import type { FactProject } from '@cairn/memory';
import { projectNamed, withMemory, type StoreFlags } from '../../memory/store.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { escapeControls } from '@cairn/tool/paths';
import { addOptions } from './options.ts';

export const memoryProjectCommand: CommandFactory = (command) => {
  command
    .description(
      "List the projects that have facts, or move the facts and the agents' sessions of one, such as after its directory was renamed. A project is its git repository (the common directory, so that worktrees share it), otherwise its directory.",
    )
    .summary('list the projects that have facts, or move them');
};

async function list(flags: StoreFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    run: async ({ facts }, { printMatches, notice }) => {
      const projects = await facts.projects({ signal: session.signal });
      if (projects.length === 0) notice('no project has facts');
      const lines = projects.map((one: FactProject) => escapeControls(`${one.project}: ${countOf(one.facts, 'fact')}`));
      return printMatches(lines, projects);
    },
  });
}

export const memoryProjectListCommand: CommandFactory = (command, session, done) => {
  command
    .description('List the projects that have facts.')
    .summary('list the projects that have facts')
    .action(async (flags: StoreFlags) => done(await list(flags, session)));
  addOptions(command);
};

/** Returns the identity that an argument names. One that is known stands for itself. */
async function identityOf(given: string, known: readonly string[], cwd: string): Promise<string> {
  return known.includes(given) ? given : projectNamed(given, { cwd });
}

async function move(
  from: string,
  to: string,
  { flags, session }: { flags: StoreFlags; session: Session },
): Promise<number> {
  return withMemory(session, {
    flags,
    absent: () => ({ moved: 0, merged: 0, sessions: 0 }),
    writes: false,
    run: async (memory, { print, notice }) => {
      const { facts } = memory;
      const { signal, cwd } = session;
      const known = (await facts.projects({ signal })).map(({ project }) => project);
      const [source, target] = [await identityOf(from, known, cwd), await identityOf(to, known, cwd)];
      const { moved, merged } = await facts.moveProject(source, target, { signal });
      const { moveSessions } = await import('@cairn/context');
      const sessions = await moveSessions({ store: memory, from: source, to: target });
      const all = moved + merged + sessions;
      const things = [
        ...(moved + merged > 0 ? [countOf(moved, 'fact')] : []),
        ...(sessions > 0 ? [countOf(sessions, 'session')] : []),
      ];
      const present = merged === 0 ? '' : `; ${countOf(merged, 'fact')} ${merged === 1 ? 'was' : 'were'} there already`;
      notice(
        all === 0
          ? `${source} has no facts and no sessions; 'cairn memory project list' lists the projects`
          : `moved ${things.join(' and ')} from ${source} to ${target}${present}`,
      );
      await print([], { from: source, to: target, moved, merged, sessions });
      return all > 0 ? ExitCode.Hit : ExitCode.None;
    },
  });
}

export const memoryProjectMoveCommand: CommandFactory = (command, session, done) => {
  command
    .description(
      "Move the facts and the agents' sessions of a project to another one, such as after its directory was renamed.",
    )
    .summary('move the facts and sessions of a project to another one')
    .argument('<from>', 'the project that has them')
    .argument('<to>', 'the project that gets them')
    .action(async (from: string, to: string, flags: StoreFlags) => done(await move(from, to, { flags, session })));
  addOptions(command);
};
