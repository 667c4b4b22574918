/** The commands of the team store. */
import { Option } from 'commander';
import type { Knowledge, TeamReport } from '@cairn/knowledge';
import type { Resolution, TeamConflict } from '@cairn/knowledge/internal';
import type { CallOptions } from '@cairn/memory';
import { addKnowledgeOptions, withKnowledge, type KnowledgeFlags } from '../../knowledge/open.ts';
import { printReport, printStatus } from '../../knowledge/team-report.ts';
import { editText, keptIn } from '../../terminal/editor.ts';
import { CommandError, UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { readGiven } from '../../terminal/input.ts';
import { filled } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { escapeLine } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';

const examples = `
Examples:
  $ cairn knowledge team init git@example.com:team/knowledge.git   clone the team store and pull it
  $ cairn knowledge team push                                      get the team's changes, and share yours
  $ cairn knowledge team status --fetch                            what is not shared, and what the team changed
  $ cairn knowledge team resolve redis-failover --theirs           end a conflict

The team store is a repository of git with a file <product_line>/<name>.md for each asset. Git must be able to reach it
without a question: set up an SSH key or a credential helper.

Exit status: 0 if everything was synchronized, 2 on an error, on a conflict, or if something was left out.`;

export const knowledgeTeamCommand: CommandFactory = (command) => {
  command
    .description('Share assets with a team through a repository of git.')
    .summary('share assets with a team in git')
    .addHelpText('after', examples);
};

interface InitFlags extends KnowledgeFlags {
  readonly branch?: string;
  readonly clone?: string;
}

export const knowledgeTeamInitCommand: CommandFactory = (command, session, done) => {
  command
    .description('Set up the team store, and pull it. Nothing is pushed.')
    .summary('set up the team store, and pull it')
    .argument('[remote]', 'address of the repository (default: the remote of the clone)')
    .action(async (remote: string | undefined, flags: InitFlags) => {
      const { branch, clone } = flags;
      const { cwd, signal } = session;
      const run = (knowledge: Knowledge): Promise<TeamReport> =>
        knowledge.team.init({ remote, branch, clone, cwd, signal });
      done(await withKnowledge(session, { flags, writes: true, run: async (k, p) => printReport(await run(k), p) }));
    });
  addKnowledgeOptions(command, [
    new Option('--branch <name>', 'branch of the team (default: that which the remote names, else main)').argParser(
      filled('--branch'),
    ),
    new Option('--clone <dir>', 'directory of the bare clone (default: team.git in the knowledge directory)').argParser(
      filled('--clone'),
    ),
  ]);
};

function synchronizing(
  description: string,
  run: (knowledge: Knowledge, options: CallOptions) => Promise<TeamReport>,
): CommandFactory {
  return (command, session, done) => {
    command.description(`${description}.`).action(async (flags: KnowledgeFlags) => {
      const { signal } = session;
      const status = await withKnowledge(session, {
        flags,
        writes: true,
        run: async (knowledge, printer) => printReport(await run(knowledge, { signal }), printer),
      });
      done(status);
    });
    addKnowledgeOptions(command);
  };
}

export const knowledgeTeamPullCommand: CommandFactory = synchronizing(
  'Get what the team changed',
  ({ team }, options) => team.pull(options),
);

export const knowledgeTeamPushCommand: CommandFactory = synchronizing(
  'Share what was changed here, after getting what the team changed',
  ({ team }, options) => team.sync(options),
);

export const knowledgeTeamSyncCommand: CommandFactory = synchronizing(
  'Get what the team changed, and share what was changed here; the same as push',
  ({ team }, options) => team.sync(options),
);

interface StatusFlags extends KnowledgeFlags {
  readonly fetch?: boolean;
}

export const knowledgeTeamStatusCommand: CommandFactory = (command, session, done) => {
  command
    .description('List what is not shared or in conflict.')
    .summary('list what is not shared or in conflict')
    .action(async (flags: StatusFlags) => {
      const { signal } = session;
      const status = await withKnowledge(session, {
        flags,
        writes: true,
        run: async ({ team }, printer) => printStatus(await team.status({ fetch: flags.fetch, signal }), printer),
      });
      done(status);
    });
  addKnowledgeOptions(command, [new Option('--fetch', 'ask the remote first')]);
};

interface ResolveFlags extends KnowledgeFlags {
  readonly mine?: boolean;
  readonly theirs?: boolean;
  readonly edit?: boolean;
  readonly file?: string;
}

const MARKS = ['<<<<<<< here', '=======', '>>>>>>> team'] as const;

/** Returns both texts of a conflict between marks, as git writes them. */
function bothOf({ mine, theirs }: TeamConflict): string {
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
  { mine, theirs, edit, file }: ResolveFlags,
  session: Session,
): Promise<{ readonly resolution: Resolution; readonly remove?: () => Promise<void> } | undefined> {
  if (mine === true) return { resolution: 'mine' };
  if (theirs === true) return { resolution: 'theirs' };
  if (file !== undefined) {
    return { resolution: { text: await readGiven(file, session, 'pipe the text, or name a file') } };
  }
  if (edit !== true) return undefined;
  const again = (path: string): string =>
    `correct it, then run 'cairn knowledge team resolve ${shellQuote(conflict.id)} --file ${shellQuote(path)}'`;
  const edited = await editText(bothOf(conflict), session, {
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

async function resolveOne(given: string | undefined, flags: ResolveFlags, session: Session): Promise<number> {
  const { mine, theirs, edit, file } = flags;
  const chosen = [mine, theirs, edit, file].filter((one) => one !== undefined);
  if (chosen.length > 1) throw new UsageError('--mine, --theirs, --edit and --file exclude each other', 'use one');
  if (chosen.length === 1 && given === undefined) throw new UsageError('the asset is missing', 'name one asset');
  const { signal } = session;
  return withKnowledge(session, {
    flags,
    run: async ({ team }, { print, printMatches, notice }) => {
      const conflicts = await team.conflicts({ signal });
      const selected = given === undefined ? conflicts : [findConflict(conflicts, given)];
      const [conflict] = selected;
      const choice = conflict && given !== undefined ? await resolutionOf(conflict, flags, session) : undefined;
      if (conflict === undefined || choice === undefined) {
        notice(
          conflict === undefined
            ? 'no asset has a conflict'
            : "nothing was changed; '--mine', '--theirs', '--edit' or '--file <file>' ends the conflict of an asset",
        );
        const escape = session.out.isTerminal ? escapeLine : (line: string) => line;
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
}

export const knowledgeTeamResolveCommand: CommandFactory = (command, session, done) => {
  command
    .description('Show the assets that were changed here and in the team store, or end the conflict of one.')
    .summary('show conflicts, or end one')
    .argument('[asset]', 'product_line/name, or the name')
    .action(async (given: string | undefined, flags: ResolveFlags) => done(await resolveOne(given, flags, session)));
  addKnowledgeOptions(command, [
    new Option('--mine', 'keep what is here'),
    new Option('--theirs', "take the team's text"),
    new Option('--edit', 'merge both texts in your editor'),
    new Option('--file <file>', 'use the text of a file; - reads standard input').argParser(filled('--file')),
  ]);
};
