/** The commands of the team store. */
import type { Knowledge, TeamReport } from '@cairn/knowledge';
import type { Resolution, TeamConflict } from '@cairn/knowledge/internal';
import type { CallOptions } from '@cairn/memory';
import { editText, keptIn } from '../../terminal/editor.ts';
import { CommandError, UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { readGiven } from '../../terminal/input.ts';
import { filled } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { lineEscape } from '../../terminal/text.ts';
import { defineGroup, type CommandFactory } from '../command.ts';
import { knowledgeCommand } from './knowledge-command.ts';
import { printReport, printStatus } from './team-report.ts';

const examples = `
Examples:
  $ cairn knowledge team init git@example.com:team/knowledge.git   clone the team store and pull it
  $ cairn knowledge team push                                      get the team's changes, and share yours
  $ cairn knowledge team status --fetch                            what is not shared, and what the team changed
  $ cairn knowledge team resolve redis-failover --theirs           end a conflict

The team store is a repository of git with a file <product_line>/<name>.md for each asset. Git must be able to reach it
without a question: set up an SSH key or a credential helper.

Exit status: 0 if everything was synchronized, 2 on an error, on a conflict, or if something was left out.`;

export const knowledgeTeamCommand: CommandFactory = defineGroup({
  description: 'Share assets with a team through a repository of git.',
  summary: 'share assets with a team in git',
  examples,
});

export const knowledgeTeamInitCommand: CommandFactory = knowledgeCommand({
  description: 'Set up the team store, and pull it. Nothing is pushed.',
  summary: 'set up the team store, and pull it',
  args: [['[remote]', 'address of the repository (default: the remote of the clone)']],
  options: [
    ['--branch <name>', 'branch of the team (default: that which the remote names, else main)', filled],
    ['--clone <dir>', 'directory of the bare clone (default: team.git in the knowledge directory)', filled],
  ],
  writes: true,
  run: async (place, { branch, clone }, remote) => {
    const { knowledge, context, signal } = place;
    return printReport(await knowledge.team.init({ remote, branch, clone, cwd: context.cwd, signal }), place);
  },
});

function synchronizing(
  description: string,
  run: (team: Knowledge['team'], options: CallOptions) => Promise<TeamReport>,
): CommandFactory {
  return knowledgeCommand({
    description,
    writes: true,
    run: async (place) => printReport(await run(place.knowledge.team, { signal: place.signal }), place),
  });
}

export const knowledgeTeamPullCommand: CommandFactory = synchronizing('Get what the team changed.', (team, options) =>
  team.pull(options),
);

export const knowledgeTeamPushCommand: CommandFactory = synchronizing(
  'Share what was changed here, after getting what the team changed.',
  (team, options) => team.sync(options),
);

export const knowledgeTeamSyncCommand: CommandFactory = synchronizing(
  'Get what the team changed, and share what was changed here; the same as push.',
  (team, options) => team.sync(options),
);

export const teamStatusCommand: CommandFactory = knowledgeCommand({
  description: 'List what is not shared or in conflict.',
  options: [['--fetch', 'ask the remote first']],
  writes: true,
  run: async (place, { fetch }) =>
    printStatus(await place.knowledge.team.status({ fetch, signal: place.signal }), place),
});

const resolveOptions = [
  ['--mine', 'keep what is here'],
  ['--theirs', "take the team's text"],
  ['--edit', 'merge both texts in your editor'],
  ['--file <file>', 'use the text of a file; - reads standard input', filled],
] as const;

const MARKS = ['<<<<<<< here', '=======', '>>>>>>> team'] as const;

/** Returns both texts of a conflict: the lines that both sides changed are between marks, as git writes them. */
function bothOf({ mine, theirs, merged }: TeamConflict): string {
  if (merged !== undefined) return merged.endsWith('\n') ? merged : `${merged}\n`;
  const textOf = (text: string | null): string => (text === null || text.endsWith('\n') ? (text ?? '') : `${text}\n`);
  return `${MARKS[0]}\n${textOf(mine)}${MARKS[1]}\n${textOf(theirs)}${MARKS[2]}\n`;
}

function findConflict(conflicts: readonly TeamConflict[], given: string): TeamConflict {
  const wanted = given.normalize('NFC').toLowerCase();
  const isNamed = ({ id }: TeamConflict): boolean =>
    id.toLowerCase() === wanted || id.toLowerCase().endsWith(`/${wanted}`);
  const found = conflicts.filter(isNamed);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  const ids = (found.length === 0 ? conflicts : found).map(({ id }) => id).join(', ');
  const fix = ids === '' ? 'no asset has a conflict' : `conflicts: ${ids}`;
  const message = found.length === 0 ? `${given} has no conflict` : `several assets are named ${given}`;
  throw new CommandError({ code: 'UNKNOWN_ASSET', message, fix, changed: false });
}

async function resolutionOf(
  conflict: TeamConflict,
  { mine, theirs, edit, file }: FlagsOf<typeof resolveOptions>,
  context: CommandContext,
): Promise<{ readonly resolution: Resolution; readonly remove?: () => Promise<void> } | undefined> {
  if (mine === true) return { resolution: 'mine' };
  if (theirs === true) return { resolution: 'theirs' };
  if (file !== undefined) {
    return { resolution: { text: await readGiven(file, context, 'pipe the text, or name a file') } };
  }
  if (edit !== true) return undefined;
  const again = (path: string): string =>
    `correct it, then run 'cairn knowledge team resolve ${shellQuote(conflict.id)} --file ${shellQuote(path)}'`;
  const edited = await editText(bothOf(conflict), context, {
    name: `${conflict.id.replaceAll('/', '-')}.md`,
    instead: 'use --mine, --theirs or --file',
    applyFix: again,
  });
  if (edited === undefined) return undefined;
  const isMarked = edited.text.split('\n').some((line) => line === MARKS[0] || line === MARKS[2]);
  if (isMarked) {
    const message = `the text still has the lines of the conflict; nothing was changed; ${keptIn(edited.file)}`;
    throw new CommandError({ code: 'CONFLICT', message, fix: again(edited.file), changed: false });
  }
  return { resolution: { text: edited.text }, remove: edited.remove };
}

export const teamResolveCommand: CommandFactory = knowledgeCommand({
  description: 'Show the assets that were changed here and in the team store, or end the conflict of one.',
  summary: 'show conflicts, or end one',
  args: [['[asset]', 'product_line/name, or the name']],
  options: resolveOptions,
  check: ({ mine, theirs, edit, file }, given) => {
    const chosen = [mine, theirs, edit, file].filter((one) => one !== undefined);
    if (chosen.length > 1) throw new UsageError('--mine, --theirs, --edit and --file exclude each other', 'use one');
    if (chosen.length === 1 && given === undefined) throw new UsageError('the asset is missing', 'name one asset');
  },
  run: async (place, flags, given) => {
    const { knowledge, context, signal, print, printMatches, notice } = place;
    const { team } = knowledge;
    const conflicts = await team.conflicts({ signal });
    const selected = given === undefined ? conflicts : [findConflict(conflicts, given)];
    const [conflict] = selected;
    const choice = conflict && given !== undefined ? await resolutionOf(conflict, flags, context) : undefined;
    if (conflict === undefined || choice === undefined) {
      notice(
        conflict === undefined
          ? 'no asset has a conflict'
          : "nothing was changed; '--mine', '--theirs', '--edit' or '--file <file>' ends the conflict of an asset",
      );
      const escape = lineEscape(context.out);
      const lines = selected.flatMap((one) => [one.id, ...bothOf(one).trimEnd().split('\n').map(escape), '']);
      return printMatches(lines, selected);
    }
    await team.resolve(conflict.id, choice.resolution, { signal });
    await choice.remove?.();
    notice(`resolved ${conflict.id}; 'cairn knowledge team push' shares it`);
    await print([conflict.id], { id: conflict.id, resolved: true });
    return ExitCode.Hit;
  },
});
