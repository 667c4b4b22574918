import type { CallOptions } from '@cairn/memory';
import { findStoredSecrets } from '@cairn/tool/internal';
import type { AssetOrigin } from '../assets/asset.ts';
import type { FieldChanges, ParseAssetOptions } from '../assets/fields.ts';
import { invalidAsset } from '../assets/front-matter.ts';
import { formatAsset, parseAsset, type AssetEdit, type ParsedAsset } from '../assets/markdown.ts';
import { checkName, checkProductLine, DEFAULT_PRODUCT_LINE } from '../assets/names.ts';
import { checkSecrets } from '../assets/secrets.ts';
import { KnowledgeError, type ErrorPlace } from '../errors.ts';

export interface AssetDraft extends FieldChanges {
  readonly name: string;
  readonly type: NonNullable<FieldChanges['type']>;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}

/** A new asset as a Markdown file. */
export interface AssetFile extends ParseAssetOptions {
  readonly text: string;
}

export interface ChangeOptions extends CallOptions {
  /** The hash of the text that the change is based on. @default any */
  readonly expected?: string | undefined;
  /** Whether the change is only checked. That another asset has the same body is not seen then. @default false */
  readonly dryRun?: boolean | undefined;
}

export interface AddOptions extends Omit<ChangeOptions, 'expected'> {
  /** @default written here */
  readonly origin?: AssetOrigin | undefined;
}

/** A change of an asset: the whole text, or fields and body. Another name or product line renames it. */
export interface AssetChange extends AssetEdit {
  readonly text?: string | undefined;
}

interface CheckContentOptions extends Pick<ErrorPlace, 'path'> {
  readonly isChecked?: boolean | undefined;
  readonly allowSecret?: boolean | undefined;
}

/**
 * @param options `isChecked`: whether the text that the asset was made of was searched for secrets. `allowSecret`: whether the
 *   body may have some; the front matter may not, because the index has it.
 * @throws {KnowledgeError} `INVALID_ASSET` without a body, `SECRET`.
 */
export function checkContent(
  { text, fields, body }: ParsedAsset,
  { path, isChecked = false, allowSecret = false }: CheckContentOptions = {},
): void {
  if (body.trim() === '') throw invalidAsset(['it has no body', 'Write Markdown below the front matter.'], { path });
  if (!isChecked && !allowSecret) checkSecrets(text, { path });
  // YAML can write a character as its number.
  const [secret] = findStoredSecrets([fields.name, fields.title, ...fields.tags, ...fields.paths].join('\n'));
  if (secret === undefined) return;
  const place = path === undefined ? '' : `${path}, `;
  const summary = `The text seems to have a secret (${place}front matter: ${secret.kind})`;
  throw new KnowledgeError('SECRET', [summary, 'Replace it by a placeholder such as <token>.'], { path });
}

/** @throws {KnowledgeError} `INVALID_ASSET`, `INVALID_NAME`, `TOO_LARGE`, `SECRET`. */
export function parseDraft(draft: AssetDraft | AssetFile): ParsedAsset {
  if ('text' in draft) {
    const { path } = draft;
    const parsed = parseAsset(draft.text, { key: draft.key, path });
    checkContent(parsed, { path });
    return parsed;
  }
  const { body, ...fields } = draft;
  const name = checkName(fields.name);
  const productLine = checkProductLine(fields.productLine ?? DEFAULT_PRODUCT_LINE);
  const parsed = parseAsset(formatAsset({ ...fields, name, productLine }, typeof body === 'string' ? body : ''));
  checkContent(parsed, { allowSecret: parsed.fields.allowSecret });
  return parsed;
}
