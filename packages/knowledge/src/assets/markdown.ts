import { escapeControls } from '@cairn/tool/paths';
import { createHash } from 'node:crypto';
import { Document, isNode, isSeq, type ToStringOptions } from 'yaml';
import { checkArguments, KnowledgeError, type ErrorPlace } from '../errors.ts';
import { MAX_ASSET_BYTES, type AssetFields } from './asset.ts';
import { fieldOptions, readFields, valuesOf, type FieldChanges, type ParseAssetOptions } from './fields.ts';
import { invalidAsset, parseYaml, splitFrontMatter } from './front-matter.ts';
import { assetId } from './names.ts';

export interface ParsedAsset {
  readonly id: string;
  readonly fields: AssetFields;
  readonly text: string;
  /** Where the body starts, in UTF-16 code units. */
  readonly bodyStart: number;
  readonly body: string;
}

const YAML_STYLE: ToStringOptions = { lineWidth: 0, flowCollectionPadding: false };

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the hash by which two assets have the same content: of the body without differences of whitespace and line ends. */
export function contentHash(body: string): string {
  return hashOf(body.normalize('NFC').replaceAll(/\s+/gu, ' ').trim());
}

/** @throws {KnowledgeError} `TOO_LARGE`. */
export function checkSize(bytes: number, { path }: ErrorPlace): void {
  if (bytes <= MAX_ASSET_BYTES) return;
  const summary = `The asset${path === undefined ? '' : ` ${path}`} has ${bytes} bytes, more than ${MAX_ASSET_BYTES}`;
  throw new KnowledgeError('TOO_LARGE', [summary, 'Shorten it, or divide it into several assets.'], { path });
}

/** Returns a string with its byte order mark. @throws {KnowledgeError} `TOO_LARGE`, `INVALID_ASSET` unless it is UTF-8. */
export function decodeAsset(bytes: Uint8Array, place: ErrorPlace = {}): string {
  checkSize(bytes.byteLength, place);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalidAsset(['it is not valid UTF-8 text', 'Save it as UTF-8.'], place);
  }
}

/** Reads a Markdown file with front matter. @throws {KnowledgeError} `INVALID_ASSET` with the line, `TOO_LARGE`. */
export function parseAsset(text: string, options: ParseAssetOptions = {}): ParsedAsset {
  checkArguments.options('parseAsset', options, { path: 'optional', key: 'optional' });
  checkSize(Buffer.byteLength(text), options);
  const binary = /\0|\p{Cs}/u.exec(text);
  if (binary !== null) {
    const line = text.slice(0, binary.index).split('\n').length;
    const problem = binary[0] === '\0' ? 'it is binary' : 'it is not well-formed Unicode';
    throw invalidAsset([problem, 'Use a text in UTF-8.'], { path: options.path, line });
  }
  const parts = splitFrontMatter(text, options);
  const fields = readFields(parseYaml(parts.yaml, options), options);
  return { id: assetId(fields), fields, text, bodyStart: text.length - parts.body.length, body: parts.body };
}

/** Returns a new Markdown file of fields and a body. */
export function formatAsset(fields: FieldChanges, body: string): string {
  checkArguments.options('formatAsset', fields, fieldOptions);
  const values = valuesOf(fields).filter(([, value]) => value !== null);
  const document = new Document(Object.fromEntries(values));
  for (const name of ['tags', 'paths']) {
    const list = document.get(name);
    if (isSeq(list)) list.flow = true;
  }
  const content = body.replace(/^(?:[ \t]*\r?\n)+/u, '').trimEnd();
  return `---\n${document.toString(YAML_STYLE)}---\n\n${content}\n`;
}

/** @throws {KnowledgeError} `INVALID_ASSET` when an alias refers to a value that was replaced. */
export function formatYaml(document: Document): string {
  try {
    return document.toString(YAML_STYLE);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const hint = 'Write the value out where the alias is, then repeat the change.';
    throw invalidAsset([`a YAML alias needs the value that is changed: ${escapeControls(cause)}`, hint], {});
  }
}

export interface AssetEdit {
  readonly fields?: FieldChanges | undefined;
  readonly body?: string | undefined;
}

/**
 * Returns a Markdown file with changed fields or another body. Other fields, comments, line ends and the byte order mark stay.
 *
 * @throws {KnowledgeError} `INVALID_ASSET` when the file is not readable.
 */
export function editAsset(text: string, edit: AssetEdit): string {
  const { fields = {}, body } = edit;
  checkArguments.options('editAsset', fields, fieldOptions);
  const parts = splitFrontMatter(text, {});
  const { document, values } = parseYaml(parts.yaml, {});
  let isChanged = false;
  for (const [name, value] of valuesOf(fields)) {
    if (JSON.stringify(values.get(name) ?? null) === JSON.stringify(value)) continue;
    isChanged = true;
    if (value === null) {
      document.delete(name);
      continue;
    }
    const node = document.createNode(value);
    if (Array.isArray(value)) Object.assign(node, { flow: true });
    const before = document.get(name, true);
    if (isNode(before)) Object.assign(node, { comment: before.comment, commentBefore: before.commentBefore });
    document.set(name, node);
  }
  const newline = parts.start.endsWith('\r\n') ? '\r\n' : '\n';
  const lines = isChanged ? formatYaml(document).replaceAll('\n', newline) : parts.yaml;
  if (body === undefined) return `${parts.start}${lines}${parts.end}${parts.body}`;
  const end = parts.end.endsWith('\n') ? parts.end : `${parts.end}${newline}`;
  return `${parts.start}${lines}${end}${body}`;
}
