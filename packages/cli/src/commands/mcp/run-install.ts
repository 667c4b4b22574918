import type { EntryTarget, ServerCommand } from '@cairn/hosts';
import { writeAnswer } from '../../terminal/answer.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import type { EntryFlags } from './entry-options.ts';
import type { Launch } from './launch.ts';
import { carryOut, editorOf, type Outcome, type PlannedChange, type Step } from './show-change.ts';

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

interface Answer {
  readonly notices: readonly string[];
  readonly unchanged: string;
  readonly more?: object;
}

async function carryOutChange(
  change: PlannedChange,
  { target, flags }: InstallRequest,
  session: Session,
  { notices, unchanged, more = {} }: Answer,
): Promise<number> {
  const { host, scope, name } = target;
  const { action, to: entry, file } = change;
  const step: Step = { change, name, subject: name, remark: host.title };
  const report = async ({ changed, diffs, notices: shown }: Outcome): Promise<void> => {
    const facts = { host: host.id, scope, path: file.path, name, action, changed, dryRun: flags.dryRun === true };
    const document = { ...facts, entry, diff: diffs.get(step), ...more };
    await writeAnswer(session, flags, { lines: [], document, notices: () => shown });
  };
  if (change.text !== undefined) return carryOut([step], { flags, session, notices, report });
  await report({ changed: false, diffs: new Map(), notices: [`${unchanged}; nothing was changed`] });
  return ExitCode.Hit;
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
  const { target, flags, stateDirectory } = request;
  const change = await editorOf(target.context, stateDirectory, session).planUndo(target);
  // Nothing is left but the note of the installation.
  if (change.text === undefined && flags.dryRun !== true) await change.apply();
  const unchanged = `${target.name} is not in ${change.file.path}`;
  return carryOutChange(change, request, session, { notices: [], unchanged });
}
