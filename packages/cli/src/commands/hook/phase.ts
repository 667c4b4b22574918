import { LANGUAGES, type Language } from '@cairn/tool/kernel';
import { resolve } from 'node:path';
import { writeAnswer, type AnswerFlags } from '../../terminal/answer.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { answerOptions, oneOf } from '../../terminal/options.ts';
import { defineCommand, type CommandFactory } from '../command.ts';

export const hookPhaseCommand: CommandFactory = defineCommand({
  description: "Name the phase of the work in a directory from git's state, and the knowledge that helps in it.",
  summary: 'name the phase of the work',
  args: [['[path]', 'the directory', '.']],
  options: [['--language <code>', 'language of the text: en or zh (default: en)', oneOf(LANGUAGES)], ...answerOptions],
  examples: `
Examples:
  $ cairn hook phase                  what the skill phase-detector runs
  $ cairn hook phase ../other --json

Exit status: 0 if the phase is known, 1 outside of a git work tree, 2 on an error.`,
  run: async (session, flags: AnswerFlags & { readonly language?: Language }, path: string) => {
    const { detectPhase, formatPhase } = await import('@cairn/knowledge');
    const root = resolve(session.cwd, path);
    const detected = await detectPhase(root, { env: session.env, signal: session.signal });
    const lines = formatPhase(detected, flags.language).split('\n');
    await writeAnswer(session, flags, {
      lines,
      document: { root, ...detected, text: lines.join('\n') },
      notices: () => [],
    });
    return detected.phase === 'unknown' ? ExitCode.None : ExitCode.Hit;
  },
});
