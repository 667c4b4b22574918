import { Option } from 'commander';
import { UsageError } from '../../terminal/errors.ts';
import { readText } from '../../terminal/input.ts';
import { filled } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { changeFact } from './change-fact.ts';
import { addFactOptions, tagOption, type FactFlags } from './options.ts';

interface UpdateFlags extends FactFlags {
  readonly text?: string;
  readonly pin?: boolean;
  readonly shared?: boolean;
  readonly allowSecret?: boolean;
  /** False after `--no-tags`. */
  readonly tags?: boolean;
}

async function update(id: string, flags: UpdateFlags, session: Session): Promise<number> {
  const { pin, shared, allowSecret } = flags;
  const text =
    flags.text === '-'
      ? (await readText(session.input, 'pipe the text, or give it to --text')).replace(/\n$/u, '')
      : flags.text;
  const { signal } = session;
  const tags = flags.tags === false ? (flags.tag ?? []) : flags.tag;
  if (text === undefined && tags === undefined && pin === undefined && shared === undefined) {
    throw new UsageError(
      'nothing to change is given',
      'use --text, --tag, --no-tags, --pin, --no-pin, --shared or --no-shared',
    );
  }
  const change = { text, tags, pinned: pin, shared, allowSecret, signal };
  const done = `updated ${id}; 'cairn memory restore ${id}' undoes it for 30 days`;
  return changeFact({ id, run: ({ facts }) => facts.update(id, change), done }, flags, session);
}

export const memoryUpdateCommand: CommandFactory = (command, session, done) => {
  command
    .description('Change the text, the tags or the pin of a fact.')
    .summary('change the text, the tags or the pin of a fact')
    .argument('<id>', 'the fact')
    .action(async (id: string, flags: UpdateFlags) => done(await update(id, flags, session)));
  addFactOptions(command, [
    new Option('--text <text>', 'the new text; - reads standard input').argParser(filled('--text')),
    tagOption('replace all tags by this one; repeat it for more'),
    new Option('--no-tags', 'remove all tags'),
    new Option('--pin', 'show it first at the start of every session'),
    new Option('--no-pin', 'show it first no longer'),
    new Option('--shared', 'let all streams find it'),
    new Option('--no-shared', 'let only its own stream find it'),
    new Option('--allow-secret', 'store a text with a key, token or password'),
  ]);
};
