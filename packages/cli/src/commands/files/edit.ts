import type { EditDetails, EditInput, TextEdit } from '@cairn/coding-agent/internal';
import { once } from '../../terminal/options.ts';
import { UsageError } from '../../terminal/errors.ts';
import { readText } from '../../terminal/input.ts';
import type { Session } from '../../terminal/session.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { diffNotices, mutationOptions, runTool, shownDiffs, type MutationFlags } from './tool-command.ts';

const examples = `
Examples:
  $ cairn edit src/main.ts --old 'let x' --new 'const x'
  $ cairn edit src/main.ts --old foo --new bar --all --dry-run   every occurrence; show the change only
  $ cairn edit a.txt --old 'obsolete' --new '' --expect 1a2b3c4d   only if it did not change since it was read
  $ cairn edit a.txt --edits - < edits.json   several edits: [{"old_text": "a", "new_text": "b"}]

The old text must occur exactly once, unless --all is given. All edits match the original file; all other bytes stay. Write
a text that starts with '-' as --old=-x. The diff goes to standard output, the summary to standard error.`;

interface EditFlags extends MutationFlags {
  readonly old?: string;
  readonly new?: string;
  readonly all?: boolean;
  readonly edits?: string;
}

const EDITS_FIX = 'use a list such as [{"old_text": "a", "new_text": "b", "replace_all": true}]';

function parseEdits(json: string): readonly TextEdit[] {
  let edits: unknown;
  try {
    edits = JSON.parse(json);
  } catch (error) {
    const reason = error instanceof Error ? `: ${error.message}` : '';
    throw new UsageError(`--edits is not valid JSON${reason}`, 'correct it', { cause: error });
  }
  if (!Array.isArray(edits) || edits.length === 0) throw new UsageError('--edits is not a list of edits', EDITS_FIX);
  for (const [index, edit] of edits.entries()) {
    const { old_text: old, new_text: text, replace_all: all, ...rest }: Record<string, unknown> = Object(edit);
    const unknown = Object.keys(rest)[0];
    const problem =
      (typeof old !== 'string' && 'has no text "old_text"') ||
      (typeof text !== 'string' && 'has no text "new_text"') ||
      (all !== undefined && typeof all !== 'boolean' && 'has a "replace_all" that is neither true nor false') ||
      (unknown !== undefined && `has an unknown field ${JSON.stringify(unknown)}`);
    if (problem !== false) throw new UsageError(`edit ${index + 1} of --edits ${problem}`, EDITS_FIX);
  }
  return edits;
}

async function editsOf(flags: EditFlags, session: Session): Promise<readonly TextEdit[]> {
  const { old, new: replacement, edits } = flags;
  if (edits === undefined) {
    if (old === undefined || replacement === undefined) {
      throw new UsageError('the edit is missing', 'use --old and --new, or --edits');
    }
    return [{ old_text: old, new_text: replacement, replace_all: flags.all }];
  }
  if (old !== undefined || replacement !== undefined || flags.all === true) {
    throw new UsageError('--edits excludes --old, --new and --all', 'leave them out');
  }
  return parseEdits(edits === '-' ? await readText(session.input, 'pipe the edits, or use --edits') : edits);
}

/** The options of one edit. The JSON of `--edits` has the names of the tool. */
const flagOf: Readonly<Record<string, string>> = { old_text: '--old', new_text: '--new', replace_all: '--all' };

export const editCommand: CommandFactory = defineCommand({
  description: 'Replace text in a file.',
  args: [['<path>', 'the file']],
  options: [
    ['--old <text>', 'the text to replace', once('use --edits for several')],
    ['--new <text>', 'the replacement', once('use --edits for several')],
    ['--all', 'replace every occurrence'],
    ['--edits <json>', "several edits as JSON, '-' for standard input", once('put all edits in one list')],
    ...mutationOptions(),
  ],
  examples,
  run: async (session, flags: EditFlags, path: string) => {
    const input: EditInput = { path, edits: await editsOf(flags, session) };
    const diffsOf = ({ path: name, diff }: EditDetails) => [{ from: name, to: name, diff }];
    return runTool<EditDetails>(session, {
      flags,
      expected: { path, tag: flags.expect },
      parameter: (name) => (flags.edits === undefined ? (flagOf[name] ?? name) : name),
      run: (tools) => tools.edit.execute(input, { signal: session.signal, dryRun: flags.dryRun }),
      lines: (details) => shownDiffs(diffsOf(details), { flags, session }),
      notices: (details, text) => [
        // The diff is on standard output already.
        text.replace(/; the changes:\n.*$/su, '.'),
        ...diffNotices(diffsOf(details)),
      ],
    });
  },
});
