import process from 'node:process';
import { escapeControls, homeDirectory } from '@cairn/tool/paths';
import { temporaryDirectory } from '@cairn/tool/internal';
import { writeAnswer, type AnswerFlags } from '../terminal/answer.ts';
import { answerOptions } from '../terminal/options.ts';
import { fail, reasonOf, type Check, type CheckResult, type CheckStatus, type DoctorContext } from '../doctor/check.ts';
import { ExitCode } from '../terminal/exit.ts';
import { readManifest } from '../terminal/manifest.ts';
import { createPaint, usesColor, writeLines, type Paint } from '../terminal/output.ts';
import { withOwnCommand } from '../terminal/own-command.ts';
import type { CommandContext } from '../terminal/command-context.ts';
import { wrapWords } from '../terminal/text.ts';
import { defineCommand, type CommandFactory } from './command.ts';

const words: Readonly<Record<CheckStatus, string>> = { ok: 'ok', warn: 'warn', fail: 'FAIL', skip: '-' };

async function runCheck(check: Check, context: DoctorContext): Promise<CheckResult> {
  try {
    return await check(context);
  } catch (error) {
    context.signal.throwIfAborted();
    return fail(`the check itself failed: ${reasonOf(error)}`, 'run it with CAIRN_DEBUG=1 and report the output');
  }
}

function resultLine(
  name: string,
  { status, message, fix }: CheckResult,
  { context: session, paint }: { readonly context: CommandContext; readonly paint: Paint },
): string {
  const color = { ok: paint.added, warn: paint.number, fail: paint.hit, skip: paint.dim }[status];
  const text = escapeControls(fix === undefined ? message : `${message}; fix: ${withOwnCommand(fix, session.command)}`);
  const word = words[status].padEnd(4);
  const indent = ' '.repeat(`${word}  ${name}  `.length);
  const { isTerminal, width } = session.out;
  // A narrow terminal has no room next to the names.
  const isBeside = width > indent.length * 2;
  const shown = isTerminal ? wrapWords(text, isBeside ? width - indent.length : width - 2) : text;
  const rows = shown.replaceAll('\n', `\n${isBeside ? indent : '  '}`);
  return `${color(word)}  ${paint.title(name)}${isTerminal && !isBeside ? '\n' : ''}  ${rows}`;
}

export const doctorCommand: CommandFactory = defineCommand({
  description: 'Check what works on this machine, and print how to fix the rest.',
  summary: 'check what works on this machine',
  options: answerOptions,
  examples: `
Examples:
  $ cairn doctor          what works on this machine, and how to fix the rest
  $ cairn doctor --json   the same as JSON

A warning concerns something that only parts of Cairn need. Connects to CAIRN_REDIS_URL and to CAIRN_BASE_URL if they are
set, and calls no model; sends the word "test" to CAIRN_EMBED_BASE_URL if you allowed that server; passwords and keys are never printed.

Exit status: 0 if no check fails, 1 otherwise.`,
  run: async (session, flags: AnswerFlags) => {
    const { version, engines } = readManifest();
    const context: DoctorContext = {
      env: session.env,
      platform: process.platform,
      arch: process.arch,
      home: homeDirectory(session.env),
      temporary: temporaryDirectory(),
      cwd: session.cwd,
      proc: '/proc',
      node: process.versions.node,
      version,
      engines: engines.node,
      signal: session.signal,
    };
    const paint = createPaint(usesColor(flags.color, session.out.isTerminal, session.env));
    const { checks } = await import('../doctor/checks.ts');
    const nameWidth = Math.max(...Object.keys(checks).map((name) => name.length));
    const results: (CheckResult & { readonly name: string })[] = [];
    for (const [name, check] of Object.entries(checks)) {
      const result = await runCheck(check, context);
      results.push({ name, ...result });
      if (flags.json !== true)
        await writeLines(
          session.out,
          [resultLine(name.padEnd(nameWidth), result, { context: session, paint })],
          session.signal,
        );
    }
    const isOk = results.every(({ status }) => status !== 'fail');
    // Without --json each line is printed when its check ends.
    await writeAnswer(session, flags, {
      lines: [],
      document: { ok: isOk, version, checks: results },
      notices: () => [],
    });
    return isOk ? ExitCode.Hit : ExitCode.None;
  },
});
