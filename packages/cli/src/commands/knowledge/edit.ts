import { rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Option } from 'commander';
import type { Asset } from '@cairn/knowledge';
import { assetDocument, findAsset } from '../../knowledge/assets.ts';
import { addKnowledgeOptions, withKnowledge, type KnowledgeFlags } from '../../knowledge/open.ts';
import { editText, keptIn, originalOf, type Edited } from '../../terminal/editor.ts';
import { CommandError, describe, factsOf, UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { readTextFile } from '../../terminal/input.ts';
import { filled } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import type { CommandFactory } from '../command.ts';

interface EditFlags extends KnowledgeFlags {
  readonly apply?: string;
}

/** Reads a text that an earlier edit left behind. */
async function readKept(given: string, { cwd, signal }: Session): Promise<Edited> {
  const file = resolve(cwd, given);
  const text = await readTextFile(file, signal);
  const original = await readTextFile(originalOf(file), signal).catch((error: unknown) => {
    const fix = "use a file that 'cairn knowledge edit' has kept";
    throw new UsageError(`${file} has no ${basename(originalOf(file))} next to it, the text before the edit`, fix, {
      cause: error,
    });
  });
  return { file, text, original, remove: async () => void (await Promise.all([rm(file), rm(originalOf(file))])) };
}

function edited(asset: Asset, { apply }: EditFlags, session: Session): Promise<Edited | undefined> {
  if (apply !== undefined) return readKept(apply, session);
  return editText(asset.text, session, {
    name: `${asset.name}.md`,
    instead: "use 'cairn knowledge add' with a file",
    applyFix: (file) => applyFix(asset, file),
  });
}

function applyFix({ id }: Asset, file: string): string {
  return `run 'cairn knowledge edit ${shellQuote(id)} --apply ${shellQuote(file)}' with the same options`;
}

async function edit(given: string, flags: EditFlags, session: Session): Promise<number> {
  const { signal } = session;
  return withKnowledge(session, {
    flags,
    run: async (knowledge, { print, notice }) => {
      const asset = await findAsset(knowledge, given, signal);
      const result = await edited(asset, flags, session);
      if (result === undefined) {
        notice('the text was not changed; nothing was done');
        await print([], { ...(await assetDocument(asset)), changed: false });
        return ExitCode.None;
      }
      const { file, text, original, remove } = result;
      const { hashOf } = await import('@cairn/knowledge/internal');
      const changed = await knowledge.store
        .change(asset.id, { text }, { expected: hashOf(original), signal })
        .catch((error: unknown) => {
          const { code, message, fix } = factsOf(error);
          const stated = `${describe({ code, message, fix }).replace(/\.$/u, '')}; ${keptIn(file)}`;
          const facts = { code, message: stated, fix: `correct it, then ${applyFix(asset, file)}`, changed: false };
          throw new CommandError(facts, { cause: error });
        });
      await remove();
      notice(changed.id === asset.id ? `changed ${asset.id}` : `renamed ${asset.id} to ${changed.id}`);
      await print([changed.id], { ...(await assetDocument(changed)), changed: true });
      return ExitCode.Hit;
    },
  });
}

export const knowledgeEditCommand: CommandFactory = (command, session, done) => {
  command
    .description('Edit an asset in VISUAL or EDITOR. Another name or product line in its front matter renames it.')
    .summary('edit an asset in your editor')
    .argument('<asset>', 'product_line/name, or the name')
    .action(async (given: string, flags: EditFlags) => done(await edit(given, flags, session)));
  addKnowledgeOptions(command, [
    new Option('--apply <file>', 'apply a file that an earlier edit has kept, without an editor').argParser(
      filled('--apply'),
    ),
  ]);
};
