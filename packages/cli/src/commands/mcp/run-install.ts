import type { EntryTarget, ServerCommand } from '@cairn/hosts';
import type { Session } from '../../terminal/session.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import type { EntryFlags } from './entry-options.ts';
import type { Launch } from './launch.ts';
import { carryOut, editorOf, type PlannedChange, type Step } from './show-change.ts';

export interface InstallRequest {
  readonly target: EntryTarget<ServerCommand>;
  readonly flags: EntryFlags;
  /** For the change of the configuration; see `createWorkspace`. */
  readonly stateDirectory: string | undefined;
}

interface Installation extends InstallRequest {
  readonly launch: Launch;
  readonly options: readonly string[];
}

/** What the answer has besides the change. */
interface Answer {
  readonly notices: readonly string[];
  readonly unchanged: string;
  readonly more?: object;
}

function carryOutChange(
  change: PlannedChange,
  { target: { host, scope, name }, flags }: InstallRequest,
  session: Session,
  { notices, unchanged, more }: Answer,
): Promise<number> {
  const { action, to: entry, file } = change;
  const step: Step = { change, name, subject: name, remark: host.title };
  const facts = { host: host.id, scope, path: file.path, name, action };
  return carryOut([step], {
    flags,
    session,
    notices,
    unchanged: { notices: [`${unchanged}; nothing was changed`] },
    document: ({ changed, diffs }) => {
      const outcome = { changed, dryRun: flags.dryRun === true, entry, diff: diffs.get(step) };
      return { ...facts, ...outcome, ...more };
    },
  });
}

function undoHint({ host, scope, name }: EntryTarget<ServerCommand>): string {
  const options = [scope === 'user' ? ' --scope user' : '', name === 'cairn' ? '' : ` --name ${name}`];
  return `to undo: cairn mcp install ${host.id}${options.join('')} --undo`;
}

export async function runInstall(installation: Installation, session: Session): Promise<number> {
  const { target, flags, launch, options } = installation;
  const { host, kind, scope, context, name } = target;
  const server = { command: launch.command, args: [...launch.args, 'mcp', ...options] };
  const change = await editorOf(context, installation.stateDirectory, session).planInstall(target, server);
  const next = kind.nextStep(scope);
  const words = [server.command, ...server.args].map(shellQuote).join(' ');
  const namesThisMachine = launch.isLocal || options.includes(context.project);
  const notices = [
    `the host starts it with ${words} (${launch.why})`,
    ...(scope === 'project' && namesThisMachine
      ? ['the entry contains paths of this machine; do not share the file']
      : []),
    `next: ${next}`,
    ...(flags.dryRun === true ? [] : [undoHint(target)]),
  ];
  const unchanged = `${name} is already installed in ${change.file.path} (${host.title})`;
  const more = { launch: { ...server, why: launch.why }, next };
  return carryOutChange(change, installation, session, { notices, unchanged, more });
}

export async function runUndo(request: InstallRequest, session: Session): Promise<number> {
  const { target, stateDirectory } = request;
  const change = await editorOf(target.context, stateDirectory, session).planUndo(target);
  const unchanged = `${target.name} is not in ${change.file.path}`;
  return carryOutChange(change, request, session, { notices: [], unchanged });
}
