import { homedir, tmpdir } from 'node:os';
import process from 'node:process';
import { Option } from 'commander';
import { colorOption } from '../terminal/options.ts';
import { fail, reasonOf, type Check, type CheckResult, type CheckStatus, type DoctorContext } from '../doctor/check.ts';
import { ExitCode } from '../terminal/exit.ts';
import { readManifest } from '../terminal/manifest.ts';
import { createPaint, usesColor, writeLines, type ColorMode, type Paint } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';
import { escapeControls } from '../terminal/text.ts';
import type { CommandFactory } from './command.ts';

const examples = `
Examples:
  $ cairn doctor          what works on this machine, and how to mend what does not
  $ cairn doctor --json   the same for a program

A warning is about something that only parts of Cairn need. CAIRN_REDIS_URL is tried when it is set; no password is shown.

Exit status: 0 when nothing fails, 1 when something does.`;

interface DoctorFlags {
  readonly json?: boolean;
  readonly color: ColorMode;
}

const words: Readonly<Record<CheckStatus, string>> = { ok: 'ok', warn: 'warn', fail: 'FAIL', skip: '-' };

async function runCheck(check: Check, context: DoctorContext): Promise<CheckResult> {
  try {
    return await check.run(context);
  } catch (error) {
    context.signal.throwIfAborted();
    return fail(`the check itself failed: ${reasonOf(error)}`, 'report it, with what CAIRN_DEBUG=1 adds');
  }
}

function shownLine(name: string, { status, found, mend }: CheckResult, paint: Paint): string {
  const look = { ok: paint.added, warn: paint.number, fail: paint.hit, skip: paint.dim }[status];
  const what = escapeControls(mend === undefined ? found : `${found}; to mend it: ${mend}`);
  return `${look(words[status].padEnd(4))}  ${name}  ${what}`;
}

async function runDoctor(flags: DoctorFlags, session: Session): Promise<number> {
  const { version, engines } = readManifest();
  const context: DoctorContext = {
    env: session.env,
    platform: process.platform,
    arch: process.arch,
    home: homedir(),
    temporary: tmpdir(),
    proc: '/proc',
    node: process.versions.node,
    version,
    engines: engines.node,
    signal: session.signal,
  };
  const paint = createPaint(usesColor(flags.color, session.out.isTerminal, session.env));
  // Other commands do not wait for what the checks need.
  const { checks } = await import('../doctor/checks.ts');
  const nameWidth = Math.max(...checks.map((check) => check.name.length));
  const results: (CheckResult & { readonly name: string })[] = [];
  for (const check of checks) {
    const result = await runCheck(check, context);
    results.push({ name: check.name, ...result });
    if (flags.json !== true)
      await writeLines(session.out, [shownLine(check.name.padEnd(nameWidth), result, paint)], session.signal);
  }
  const isWell = results.every(({ status }) => status !== 'fail');
  if (flags.json === true) {
    await writeLines(session.out, [JSON.stringify({ ok: isWell, version, checks: results })], session.signal);
  }
  return isWell ? ExitCode.Hit : ExitCode.None;
}

export const doctorCommand: CommandFactory = (command, session, done) => {
  command
    .description('Say what works on this machine, and how to mend what does not.')
    .summary('what works on this machine, and how to mend the rest')
    .addHelpText('after', examples)
    .action(async (flags: DoctorFlags) => done(await runDoctor(flags, session)))
    .addOption(new Option('--json', 'print the checks as one JSON document'))
    .addOption(colorOption());
};
