import { escapeControls } from '@cairn/tool/paths';
import { ExitCode } from '../../terminal/exit.ts';
import { countOf } from '../../terminal/text.ts';
import { defineGroup, type CommandFactory } from '../command.ts';
import { memoryCommand } from './memory-command.ts';
import { projectNamed } from './store.ts';

export const memoryProjectCommand: CommandFactory = defineGroup({
  description:
    "List the projects that have facts, or move the facts and the agents' sessions of one, such as after its directory was renamed. A project is its git repository (the common directory, so that worktrees share it), otherwise its directory.",
  summary: 'list the projects that have facts, or move them',
});

export const memoryProjectListCommand: CommandFactory = memoryCommand({
  description: 'List the projects that have facts.',
  run: async ({ memory, signal, printMatches, notice }) => {
    const projects = await memory.facts.projects({ signal });
    if (projects.length === 0) notice('no project has facts');
    const lines = projects.map(({ project, facts }) => escapeControls(`${project}: ${countOf(facts, 'fact')}`));
    return printMatches(lines, projects);
  },
});

/** Returns the identity that an argument names. One that is known stands for itself. */
async function identityOf(given: string, known: readonly string[], cwd: string): Promise<string> {
  return known.includes(given) ? given : projectNamed(given, { cwd });
}

export const memoryProjectMoveCommand: CommandFactory = memoryCommand({
  description:
    "Move the facts and the agents' sessions of a project to another one, such as after its directory was renamed.",
  summary: 'move the facts and sessions of a project to another one',
  args: [
    ['<from>', 'the project that has them'],
    ['<to>', 'the project that gets them'],
  ],
  absent: () => ({ moved: 0, merged: 0, sessions: 0 }),
  run: async ({ memory, context, signal, print, notice }, _, from, to) => {
    const { cwd } = context;
    const known = (await memory.facts.projects({ signal })).map(({ project }) => project);
    const [source, target] = [await identityOf(from, known, cwd), await identityOf(to, known, cwd)];
    const { moved, merged } = await memory.facts.moveProject(source, target, { signal });
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
