import { basename, extname } from 'node:path';
import type { Asset } from '@cairn/knowledge';
import type { FieldChanges } from '@cairn/knowledge/internal';
import { askPerson, askUntil, type Prompter } from '../../terminal/ask.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { readGiven } from '../../terminal/input.ts';
import { filled, splitValues } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import type { CommandFactory } from '../command.ts';
import { askFields } from './ask-fields.ts';
import { assetDocument, findAsset } from './assets.ts';
import { knowledgeCommand, type KnowledgePlace } from './knowledge-command.ts';
import { areaOption, READ_TYPES, typeOption, type KnowledgeFlags } from './options.ts';
import { refuseSimilarAssets } from './similar.ts';

const options = [
  ['--name <name>', 'name (default: the name of the file, else the words of the title)', filled],
  typeOption(`type: ${READ_TYPES.join(', ')} (default: note)`),
  areaOption('area, such as exchange/core (default: general)'),
  ['--title <title>', 'title of one line (default: the first heading)', filled],
  ['--tag <name>', 'add a tag; repeat it for more', splitValues],
  ['--path <glob>', 'files that the asset is about, such as src/**/*.ts; repeat it for more', splitValues],
  ['--new', 'add it although similar assets exist', undefined, { conflicts: 'update' }],
  ['--update <asset>', 'change this asset instead: its body, or all of it when the text has front matter', filled],
] as const;

type AddFlags = FlagsOf<typeof options> & KnowledgeFlags;

/** A string to add, and where it comes from. */
interface Given {
  readonly text: string;
  readonly file: string | undefined;
  readonly fields: FieldChanges;
}

/** Returns the Markdown file of a new asset. */
async function newText({ text, file, fields }: Given): Promise<string> {
  const { formatAsset } = await import('@cairn/knowledge');
  const { checkName, checkProductLine, DEFAULT_TYPE, editAsset, hasFrontMatter, headingOf, nameOf } =
    await import('@cairn/knowledge/internal');
  if (hasFrontMatter(text)) return editAsset(text, { fields });
  const { type = DEFAULT_TYPE, title = headingOf(text) ?? '' } = fields;
  const name = fields.name ?? (file === undefined ? nameOf(title) : basename(file, extname(file)));
  const productLine = checkProductLine(fields.productLine ?? 'general');
  return formatAsset({ ...fields, type, name: checkName(name), productLine, title }, text);
}

const EXAMPLE = "cairn knowledge add --title 'Redis failover' notes.md";

/**
 * Completes what is to be added. In a terminal it asks for everything that is missing.
 *
 * @throws {UsageError} with everything that is missing.
 */
async function complete(given: Given, { context }: KnowledgePlace, { update, json }: AddFlags): Promise<Given> {
  const { hasFrontMatter, headingOf } = await import('@cairn/knowledge/internal');
  const { text, fields } = given;
  if (hasFrontMatter(text) || update !== undefined) return given;
  const title = fields.title ?? headingOf(text);
  const missing = [...(title === undefined ? ['--title'] : []), ...(text.trim() === '' ? ['the text'] : [])];
  if (missing.length === 0) return given;
  const ask = async (prompter: Prompter): Promise<Given> => {
    const {
      title: asked,
      type,
      area,
    } = await askFields(prompter, { title, type: fields.type, area: fields.productLine });
    const line = (answer: string): string | undefined => answer || undefined;
    const body = text.trim() === '' ? await askUntil(prompter, 'Text, one line (a file can have more): ', line) : text;
    return { ...given, text: body, fields: { ...fields, title: asked, type, productLine: area } };
  };
  const completed = json === true ? undefined : await askPerson(context, ask);
  if (completed !== undefined) return completed;
  const what = `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
  throw new UsageError(what, `add ${missing.length === 1 ? 'it' : 'them'}, as in: ${EXAMPLE}`);
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
  throw refuseSimilarAssets(similar, notice, '--update <asset> to change one of them, or --new to add it');
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
    'Save Markdown as an asset for the team. In a terminal it asks for what is missing. Options replace the fields of its front matter. When similar assets exist, it is rejected until --update or --new chooses.',
  summary: 'save Markdown as an asset for the team',
  args: [['[file]', 'Markdown, with front matter or with options; - reads standard input (default: standard input)']],
  options,
  writes: true,
  run: async (place, flags, file) => {
    const { input } = place.context;
    const { name, type, area: productLine, title, tag: tags, path: paths, update } = flags;
    // A terminal without a file: the person is asked for the text.
    const isAsked = file === undefined && input.kind === 'terminal' && update === undefined;
    const text = isAsked ? '' : await readGiven(file, place.context, 'pipe the Markdown, or name a file');
    const fields = { name, type, productLine, title, tags, paths };
    const given = { text, file: file === '-' ? undefined : file, fields };
    const asset = await write(await complete(given, place, flags), flags, place);
    await place.print([asset.id], await assetDocument(asset));
    return ExitCode.Hit;
  },
});
