/** Thorough checks of the stores: everything in them is read. */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { escapeControls } from '@cairn/tool/paths';
import { shellQuote } from '../terminal/shell-quote.ts';
import { countOf, formatBytes } from '../terminal/text.ts';
import { fail, ok, reasonOf, skip, warn, type Check, type CheckResult, type DoctorContext } from './check.ts';

/** A check of git takes seconds on a large clone. */
const GIT_TIMEOUT_MS = 60_000;
const DAY_MS = 86_400_000;
/** A store that changed has a backup each day that it is used. */
const OLD_BACKUP_DAYS = 3;

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Returns the age of the newest backup, in words. */
function backupText(path: string, times: readonly number[]): string {
  const [newest] = times;
  if (newest === undefined) return 'no backup yet';
  const days = Math.floor((Date.now() - newest) / DAY_MS);
  const age = days < 1 ? 'less than a day old' : `${countOf(days, 'day')} old`;
  const isLate = days > OLD_BACKUP_DAYS && statSync(path).mtimeMs > newest + OLD_BACKUP_DAYS * DAY_MS;
  return `${countOf(times.length, 'backup')}, the newest ${age}${isLate ? ", although it changed since: 'cairn memory backup <file>' shows why" : ''}`;
}

/** Checks one SQLite file. */
async function checkFile(path: string, signal: AbortSignal): Promise<CheckResult> {
  const { createMemory } = await import('@cairn/memory');
  const { listBackups, sqlite } = await import('@cairn/memory/sqlite');
  // A repository that was cloned may have brought the store: nothing is written.
  const memory = createMemory({ backend: sqlite({ path, readOnly: true }) });
  try {
    const damage = (await memory.backend.check?.({ signal })) ?? [];
    const backups = listBackups(path).filter(({ isReplaced }) => !isReplaced);
    const copies = backupText(
      path,
      backups.map(({ time }) => time),
    );
    if (damage.length > 0) {
      const store = `--store ${shellQuote(path)}`;
      const fix = `'cairn memory backup <file> ${store}' saves every readable record; 'cairn memory restore <file> ${store}' uses that copy, or a backup (${copies})`;
      return fail(`${path} is damaged: ${escapeControls(damage[0]?.message ?? '')}`, fix);
    }
    const unreadable = await memory.unreadable({ signal });
    if (unreadable.length > 0) {
      const fix = `'cairn memory stats --json --store ${shellQuote(path)}' lists them`;
      return warn(`${path}: ${countOf(unreadable.length, 'record')} cannot be read`, fix);
    }
    return ok(`${path}: ${formatBytes(statSync(path).size)}, not damaged; ${copies}`);
  } catch (error) {
    signal.throwIfAborted();
    return fail(reasonOf(error), 'follow the message');
  } finally {
    await memory.close();
  }
}

/** Joins the results of several files: the worst status counts. */
function joined(results: readonly CheckResult[]): CheckResult {
  const worst = results.find(({ status }) => status === 'fail') ?? results.find(({ status }) => status === 'warn');
  const [first] = results;
  if (first === undefined) return skip('there is no store yet');
  const message = results.map((one) => one.message).join('; ');
  return { ...(worst ?? first), message };
}

/** Checks the user's memory, and the one of the working directory if it has its own. */
export const checkMemory: Check = async ({ env, home, platform, cwd, signal }) => {
  const { projectStorePath, userStorePath } = await import('@cairn/memory');
  const paths = [userStorePath({ env, home, platform }), projectStorePath(cwd)].filter(exists);
  const results: CheckResult[] = [];
  for (const path of new Set(paths)) results.push(await checkFile(path, signal));
  const url = env['CAIRN_REDIS_URL'];
  if (url) results.push(await checkRecords(url, signal));
  return joined(results);
};

/** Checks the records of a Redis. Whether the server answers is another check. */
async function checkRecords(url: string, signal: AbortSignal): Promise<CheckResult> {
  const { createMemory } = await import('@cairn/memory');
  try {
    const { redis } = await import('@cairn/memory/redis');
    const memory = createMemory({ backend: redis({ url }) });
    try {
      const { problems } = await memory.stats({ signal });
      const unreadable = await memory.unreadable({ signal });
      if (problems.length + unreadable.length === 0) return ok('the memory in Redis is readable');
      const fix = "'cairn memory stats --json' lists them";
      return warn(`Redis: ${countOf(problems.length + unreadable.length, 'record')} cannot be read`, fix);
    } finally {
      await memory.close();
    }
  } catch {
    signal.throwIfAborted();
    return warn('the memory in Redis cannot be read', "follow the fix of 'redis'");
  }
}

async function knowledgeOf({ env, home, platform }: DoctorContext): Promise<string> {
  const { knowledgeDirectory } = await import('@cairn/knowledge/session');
  return knowledgeDirectory({ env, home, platform });
}

export const checkKnowledge: Check = async (context) => {
  const path = join(await knowledgeOf(context), 'knowledge.db');
  return exists(path) ? checkFile(path, context.signal) : skip('there is no store yet');
};

/** Checks the clone of the repository in which a team shares its assets. */
export const checkTeam: Check = async (context) => {
  const clone = join(await knowledgeOf(context), 'team.git');
  if (!exists(clone)) return skip('no team store is set up');
  try {
    const args = ['--git-dir', clone, 'fsck', '--no-dangling', '--no-progress'];
    await promisify(execFile)('git', args, { timeout: GIT_TIMEOUT_MS, signal: context.signal });
    return ok(`${clone} is not damaged`);
  } catch (error) {
    context.signal.throwIfAborted();
    const fix = `delete ${clone}, then run 'cairn knowledge team pull': it is made again, and no asset is lost`;
    return fail(`${clone}: ${reasonOf(error)}`, fix);
  }
};
