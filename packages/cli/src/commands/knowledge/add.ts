import { basename, extname, resolve } from 'node:path';
import { Option } from 'commander';
import type { AssetDraft, AssetFile, FieldChanges, Knowledge } from '@cairn/knowledge';
import { assetDocument } from '../../knowledge/assets.ts';
import { addKnowledgeOptions, withKnowledge, type KnowledgeFlags } from '../../knowledge/open.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { readText, readTextFile } from '../../terminal/input.ts';
import { filled } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { fieldOptions, type FieldFlags } from './options.ts';

interface AddFlags extends KnowledgeFlags, FieldFlags {
  readonly name?: string;
}

/** Returns the text of the first heading. */
function headingOf(markdown: string): string | undefined {
  return /^#{1,6}[ \t]+(.+?)[ \t#]*$/mu.exec(markdown)?.[1];
}

function fieldsOf({ name, type, productLine, title, tag: tags, path: paths }: AddFlags): FieldChanges {
  return { name, type, productLine, title, tags, paths };
}

/** Returns the asset that a text and the options describe. @throws {UsageError} */
async function draftOf(text: string, file: string | undefined, flags: AddFlags): Promise<AssetDraft | AssetFile> {
  const { editAsset, hasFrontMatter } = await import('@cairn/knowledge');
  const fields = fieldsOf(flags);
  if (hasFrontMatter(text)) return { text: editAsset(text, { fields }), path: file };
  const name = fields.name ?? (file === undefined ? undefined : basename(file, extname(file)));
  const title = fields.title ?? headingOf(text);
  if (name === undefined) throw new UsageError('the name is missing', 'use --name <name>, or front matter');
  if (fields.type === undefined) throw new UsageError('the type is missing', 'use --type <type>, or front matter');
  if (title === undefined) throw new UsageError('the title is missing', 'use --title <title>, or begin with a heading');
  return { ...fields, name, type: fields.type, title, body: text };
}

async function add(file: string | undefined, flags: AddFlags, session: Session): Promise<number> {
  const text =
    file === undefined
      ? await readText(session.input, 'pipe the Markdown, or name a file')
      : await readTextFile(resolve(session.cwd, file), session.signal);
  const draft = await draftOf(text, file, flags);
  return withKnowledge(session, {
    flags,
    writes: true,
    run: async ({ store, directory }: Knowledge, { print, notice }) => {
      const asset = await store.add(draft, { signal: session.signal });
      notice(`added to ${directory}; 'cairn knowledge show ${asset.id}' shows it`);
      await print([asset.id], assetDocument(asset));
      return ExitCode.Hit;
    },
  });
}

export const knowledgeAddCommand: CommandFactory = (command, session, done) => {
  command
    .description('Add an asset from Markdown. Options replace the fields of its front matter.')
    .summary('add an asset from Markdown')
    .argument('[file]', 'Markdown, with front matter or with options (default: standard input)')
    .action(async (file: string | undefined, flags: AddFlags) => done(await add(file, flags, session)));
  addKnowledgeOptions(command, [
    new Option('--name <name>', 'name (default: that of the file)').argParser(filled('--name')),
    ...fieldOptions(),
  ]);
};
