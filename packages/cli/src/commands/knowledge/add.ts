import { basename, extname } from 'node:path';
import type { Asset } from '@cairn/knowledge';
import type { FieldChanges } from '@cairn/knowledge/internal';
import { CommandError, UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { readGiven } from '../../terminal/input.ts';
import { filled, splitValues } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import type { CommandFactory } from '../command.ts';
import { assetDocument, findAsset } from './assets.ts';
import { knowledgeCommand, type KnowledgePlace } from './knowledge-command.ts';
import { ASSET_TYPE_NAMES, productLineOption, typeOption } from './options.ts';

const options = [
  ['--name <name>', 'name (default: the name of the file)', filled],
  typeOption(`type: ${ASSET_TYPE_NAMES.join(', ')}`),
  productLineOption('product line, such as exchange/core (default: general)'),
  ['--title <title>', 'title of one line', filled],
  ['--tag <name>', 'add a tag; repeat it for more', splitValues],
  ['--path <glob>', 'files that the asset is about, such as src/**/*.ts; repeat it for more', splitValues],
  ['--new', 'add it although similar assets exist', undefined, { conflicts: 'update' }],
  ['--update <asset>', 'change this asset instead: its body, or all of it when the text has front matter', filled],
] as const;

type AddFlags = FlagsOf<typeof options>;

/** A string to add, and where it comes from. */
interface Given {
  readonly text: string;
  readonly file: string | undefined;
  readonly fields: FieldChanges;
}

/** Returns the Markdown file of a new asset. @throws {UsageError} */
async function newText({ text, file, fields }: Given): Promise<string> {
  const { formatAsset } = await import('@cairn/knowledge');
  const { checkName, checkProductLine, editAsset, hasFrontMatter, headingOf } =
    await import('@cairn/knowledge/internal');
  if (hasFrontMatter(text)) return editAsset(text, { fields });
  const name = fields.name ?? (file === undefined ? undefined : basename(file, extname(file)));
  const title = fields.title ?? headingOf(text);
  if (name === undefined) throw new UsageError('the name is missing', 'use --name <name>, or front matter');
  if (fields.type === undefined) throw new UsageError('the type is missing', 'use --type <type>, or front matter');
  if (title === undefined) throw new UsageError('the title is missing', 'use --title <title>, or begin with a heading');
  const productLine = checkProductLine(fields.productLine ?? 'general');
  return formatAsset({ ...fields, name: checkName(name), productLine, title }, text);
}

/** Returns a string for comparisons. */
function folded(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
}

/** @throws {CommandError} `SIMILAR_ASSETS` */
async function refuseSimilar(text: string, { knowledge, signal, notice }: KnowledgePlace): Promise<void> {
  const { store, layers } = knowledge;
  const { parseAsset } = await import('@cairn/knowledge');
  const { checkSecrets } = await import('@cairn/knowledge/internal');
  const { id, fields, body } = parseAsset(text);
  checkSecrets(text);
  // Then the name is the reason for the rejection.
  if ((await store.get(id, { signal })) !== undefined) return;
  const similar = await layers.similar({ title: fields.title, tags: fields.tags, body, signal });
  const others = await store.getMany(
    similar.map((one) => one.id),
    { signal },
  );
  // Of an equal one the store names the asset, and no option adds it.
  if (similar.length === 0 || others.some((other) => other !== undefined && folded(other.body) === folded(body)))
    return;
  for (const one of similar) notice(`similar: ${one.id}: ${one.title}`);
  throw new CommandError({
    code: 'SIMILAR_ASSETS',
    message: `similar assets exist: ${similar.map((one) => one.id).join(', ')}; nothing was added`,
    fix: 'use --update <asset> to change one of them, or --new to add it',
    changed: false,
  });
}

async function write(given: Given, flags: AddFlags, place: KnowledgePlace): Promise<Asset> {
  const { knowledge, signal, notice } = place;
  const { store, directory } = knowledge;
  if (flags.update !== undefined) {
    const { hasFrontMatter } = await import('@cairn/knowledge/internal');
    const { text, fields } = given;
    const { id, hash } = await findAsset(knowledge, flags.update, signal);
    const change = hasFrontMatter(text) ? { text, fields } : { fields, body: text };
    const asset = await store.change(id, change, { expected: hash, signal });
    notice(`changed ${id} in ${directory}`);
    return asset;
  }
  const text = await newText(given);
  if (flags.new !== true) await refuseSimilar(text, place);
  const asset = await store.add({ text, path: given.file }, { signal });
  notice(`added to ${directory}; 'cairn knowledge show ${asset.id}' shows it`);
  return asset;
}

export const knowledgeAddCommand: CommandFactory = knowledgeCommand({
  description:
    'Add an asset from Markdown. Options replace the fields of its front matter. When similar assets exist, it is rejected until --update or --new chooses.',
  summary: 'add an asset from Markdown',
  args: [['[file]', 'Markdown, with front matter or with options; - reads standard input (default: standard input)']],
  options,
  writes: true,
  run: async (place, flags, file) => {
    const text = await readGiven(file, place.context, 'pipe the Markdown, or name a file');
    const { name, type, productLine, title, tag: tags, path: paths } = flags;
    const fields = { name, type, productLine, title, tags, paths };
    const asset = await write({ text, file: file === '-' ? undefined : file, fields }, flags, place);
    await place.print([asset.id], await assetDocument(asset));
    return ExitCode.Hit;
  },
});
