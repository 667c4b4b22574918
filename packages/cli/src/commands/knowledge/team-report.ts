/** How the commands of the team store print what they did. */
import type { TeamReport } from '@cairn/knowledge';
import type { TeamChanges, TeamStatus } from '@cairn/knowledge/internal';
import { ExitCode } from '../../terminal/exit.ts';
import { countOf } from '../../terminal/text.ts';
import type { KnowledgePlace } from './knowledge-command.ts';

const kinds = ['added', 'changed', 'removed'] as const;

function countAll(changes: TeamChanges): number {
  return kinds.reduce((sum, kind) => sum + changes[kind].length, 0);
}

/** Returns a line for each asset, such as `pulled   added    exchange/infra/redis`. */
function linesOf(what: string, changes: TeamChanges): string[] {
  return kinds.flatMap((kind) => changes[kind].map((id) => `${what.padEnd(8)} ${kind.padEnd(8)} ${id}`));
}

function conflictLines(conflicts: readonly string[]): string[] {
  return conflicts.map((id) => `${'conflict'.padEnd(17)} ${id}`);
}

function noticeConflicts(conflicts: readonly string[], notice: (text: string) => void): void {
  if (conflicts.length === 0) return;
  const verb = conflicts.length === 1 ? 'was' : 'were';
  notice(
    `${countOf(conflicts.length, 'asset')} ${verb} changed here and in the team store; 'cairn knowledge team resolve' shows both`,
  );
}

/** Prints the report of a synchronization. @returns the exit status: an error when something was left out. */
export async function printReport(report: TeamReport, { print, notice }: KnowledgePlace): Promise<number> {
  const { remote, branch, pulled, pushed, review, conflicts, withheld, problems, otherFiles, notices } = report;
  for (const { path, line, message } of problems) {
    notice(`${path}${line === undefined ? '' : `:${line}`}: ${message}; it stays as it is and was not synchronized`);
  }
  for (const { id, message } of withheld) notice(`${id} was not pushed: ${message}`);
  for (const text of notices) notice(text);
  noticeConflicts(conflicts, notice);
  const counts = [
    `pulled ${countOf(countAll(pulled), 'asset')}`,
    ...(review === undefined ? [`pushed ${countOf(countAll(pushed), 'asset')}`] : []),
  ];
  notice(`${counts.join(', ')}; ${branch} of ${remote}`);
  if (review !== undefined) {
    notice(
      `${branch} is protected: ${countOf(countAll(pushed), 'asset')} wait on the branch ${review}; ask for a review and merge it`,
    );
  }
  const sent = review === undefined ? 'pushed' : 'review';
  const lines = [...linesOf('pulled', pulled), ...linesOf(sent, pushed), ...conflictLines(conflicts)];
  const document = { pulled, pushed, ...(review !== undefined && { review }), conflicts, withheld, problems };
  await print(lines, { remote, branch, ...document, other_files: otherFiles });
  return conflicts.length + withheld.length + problems.length > 0 ? ExitCode.Error : ExitCode.Hit;
}

export async function printStatus(status: TeamStatus, { print, notice }: KnowledgePlace): Promise<number> {
  const { remote, branch, clone, synced, outgoing, isBehind, conflicts, withheld, review } = status;
  for (const { id, message } of withheld) notice(`${id} will not be pushed: ${message}`);
  noticeConflicts(conflicts, notice);
  if (isBehind) notice("the team changed something; 'cairn knowledge team pull' gets it");
  if (countAll(outgoing) > 0) notice(`${countOf(countAll(outgoing), 'asset')} to push: 'cairn knowledge team push'`);
  if (review !== undefined) notice(`the branch ${review} waits for a review`);
  const lines = [
    `remote   ${remote}`,
    `branch   ${branch}${synced === undefined ? '' : ` at ${synced.slice(0, 12)}`}`,
    `clone    ${clone}`,
    ...linesOf('unshared', outgoing),
    ...conflictLines(conflicts),
  ];
  await print(lines, {
    remote,
    branch,
    clone,
    ...(synced !== undefined && { synced }),
    outgoing,
    team_changed: isBehind,
    conflicts,
    withheld,
    ...(review !== undefined && { review }),
  });
  return conflicts.length + withheld.length > 0 ? ExitCode.Error : ExitCode.Hit;
}
