import { basename, dirname } from 'node:path';
import { ASSET_TYPES, type AssetFields, type AssetType } from '../assets/asset.ts';
import { MAX_TITLE_CHARACTERS, shorten, type FieldChanges } from '../assets/fields.ts';
import { hasFrontMatter, parseYaml, splitFrontMatter } from '../assets/front-matter.ts';
import { editAsset, formatAsset, parseAsset, type ParsedAsset } from '../assets/markdown.ts';
import { checkProductLine, DEFAULT_PRODUCT_LINE, isName } from '../assets/names.ts';
import { checkSecrets } from '../assets/secrets.ts';
import type { ImportFile } from './find-files.ts';

/** How files without fields of an asset become assets. */
export interface ImportFields {
  /** @default 'best-practice' for instructions and rules, otherwise 'reference' */
  readonly type?: AssetType | undefined;
  /** @default the directories of a file below the imported one, otherwise 'general' */
  readonly productLine?: string | undefined;
}

const MAX_NAME_CHARACTERS = 80;

const SECTION_MARK = /^<!-- (cairn-[a-z-]+):(start|end) -->[\t ]*(?:\r?\n|$)/gmu;

/** Returns a string without the sections that Cairn writes into AGENTS.md: they show the knowledge, and are not part of it. */
function withoutSections(text: string): string {
  let kept = '';
  let from = 0;
  let open: { readonly name: string | undefined; readonly start: number } | undefined;
  for (const { 0: mark, 1: name, 2: side, index } of text.matchAll(SECTION_MARK)) {
    if (side === 'start') open ??= { name, start: index };
    else if (open?.name === name) {
      kept += text.slice(from, open?.start);
      from = index + mark.length;
      open = undefined;
    }
  }
  return kept + text.slice(from);
}

function nameOf(text: string): string {
  // Most names are one already.
  if (/^\w(?:[\w-]{0,78}\w)?$/u.test(text)) return isName(text) ? text : '';
  const name = text
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/\.{2,}/gu, '.')
    .slice(0, MAX_NAME_CHARACTERS)
    .replaceAll(/^[-.]+|[-.]+$|\p{Cs}/gu, '');
  return isName(name) ? name : '';
}

/** Returns the text of the first heading of Markdown, cut when it is long. */
export function headingOf(markdown: string): string | undefined {
  const line = /^#{1,6}[ \t]+(\S.*)$/mu
    .exec(markdown)?.[1]
    ?.slice(0, MAX_TITLE_CHARACTERS * 2)
    .trimEnd();
  return line?.replace(/[ \t]#+$/u, '').trimEnd();
}

function titleOf(body: string, given: unknown): string | undefined {
  const heading = headingOf(body);
  for (const text of [given, heading]) {
    if (typeof text !== 'string') continue;
    const line = text.replaceAll(/[\p{Cc}\u2028\u2029\p{Cs}]+/gu, ' ').trim();
    if (line !== '') return shorten(line, MAX_TITLE_CHARACTERS);
  }
  return undefined;
}

/** Reads fields of one line as text. The rules of Cursor have globs such as `*.ts`, which are not valid YAML. */
function parseLines(yaml: string): ReadonlyMap<string, unknown> {
  const fields = yaml.split(/\r?\n/u).flatMap((line) => {
    const [, name, value = ''] = /^([A-Za-z]\w*):[ \t]*(.*)$/u.exec(line) ?? [];
    const text = value.trim().replace(/^(["'])(.*)\1$/u, '$2');
    return name === undefined || text === '' ? [] : [[name, text] as const];
  });
  return new Map(fields);
}

function listOf(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  const texts = values.flatMap((one) =>
    typeof one === 'string' ? one.replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ').trim() : [],
  );
  return [...new Set(texts.filter((text) => text !== ''))];
}

/** A name is part of a path: instructions of several projects have one file name. */
function fileName({ path, kind }: ImportFile): string {
  const name = nameOf(basename(path).replace(/\.[^.]+$/u, ''));
  if (kind !== 'instructions' && name !== '') return name;
  const directory = dirname(path);
  const project = nameOf(basename(basename(directory) === '.claude' ? dirname(directory) : directory));
  return nameOf([project, name === '' ? 'rules' : name].filter((part) => part !== '').join('-'));
}

function productLineOf({ place, kind }: ImportFile): string {
  if (kind !== 'document') return DEFAULT_PRODUCT_LINE;
  const parts = place.split('/').slice(0, -1).map(nameOf);
  try {
    return checkProductLine(parts.join('/'));
  } catch {
    return DEFAULT_PRODUCT_LINE;
  }
}

/**
 * Returns the asset of a file; `undefined` when it has only what Cairn wrote. A file with the fields of an asset stays as it is.
 * @throws {KnowledgeError} `INVALID_ASSET`, `INVALID_NAME`, `SECRET`, `TOO_LARGE`.
 */
export function readImport(text: string, file: ImportFile, fields: ImportFields): ParsedAsset | undefined {
  const { path, kind } = file;
  // Here, where the lines are those of the file.
  checkSecrets(text, { path });
  const clean = withoutSections(text);
  if (clean !== text && clean.trim() === '') return undefined;
  const productLine = fields.productLine ?? productLineOf(file);
  const parts = hasFrontMatter(clean) ? splitFrontMatter(clean, { path }) : undefined;
  const body = parts?.body ?? clean.replace(/^\uFEFF/u, '');
  const values =
    parts === undefined
      ? new Map()
      : kind === 'rules'
        ? parseLines(parts.yaml)
        : parseYaml(parts.yaml, { path }).values;
  const name = fileName(file);
  if (ASSET_TYPES.some((type) => type === values.get('type'))) {
    const missing: FieldChanges = {
      ...(!values.has('name') && { name }),
      ...((!values.has('product_line') || fields.productLine !== undefined) && { productLine }),
    };
    return parseAsset(editAsset(clean, { fields: missing }), { path });
  }
  const made: Omit<AssetFields, 'status'> = {
    name,
    productLine,
    type: fields.type ?? (kind === 'document' ? 'reference' : 'best-practice'),
    title: titleOf(body, values.get('title') ?? values.get('description')) ?? name,
    tags: listOf(values.get('tags')),
    paths: listOf(values.get('globs') ?? values.get('paths')),
  };
  return parseAsset(formatAsset(made, body), { path });
}
