import { invalidAsset } from '../assets/front-matter.ts';
import { formatAsset, parseAsset } from '../assets/markdown.ts';
import type { ParsedAsset } from '../assets/markdown.ts';
import { checkName, checkProductLine, DEFAULT_PRODUCT_LINE } from '../assets/names.ts';
import { checkSecrets, hasSecret } from '../assets/secrets.ts';
import { KnowledgeError } from '../errors.ts';
import type { AssetDraft, AssetFile } from './local-store.ts';

function emptyBody(path?: string): KnowledgeError {
  return invalidAsset(['it has no body', 'Write Markdown below the front matter.'], { path });
}

/** @throws {KnowledgeError} `INVALID_ASSET` without a body, `SECRET`. */
export function checkContent({ text, fields, body }: ParsedAsset, path?: string): void {
  if (body.trim() === '') throw emptyBody(path);
  checkSecrets(text, { path });
  // YAML can write a character as its number.
  if (!hasSecret([fields.title, ...fields.tags, ...fields.paths].join('\n'))) return;
  const summary = `The front matter${path === undefined ? '' : ` of ${path}`} seems to have a secret`;
  throw new KnowledgeError('SECRET', [summary, 'Replace it by a placeholder such as <token>.'], { path });
}

/** @throws {KnowledgeError} `INVALID_ASSET`, `INVALID_NAME`, `TOO_LARGE`, `SECRET`. */
export function parseDraft(draft: AssetDraft | AssetFile): ParsedAsset {
  if ('text' in draft) {
    const { path } = draft;
    const parsed = parseAsset(draft.text, { key: draft.key, path });
    checkContent(parsed, path);
    return parsed;
  }
  const { body, ...fields } = draft;
  const name = checkName(fields.name);
  const productLine = checkProductLine(fields.productLine ?? DEFAULT_PRODUCT_LINE);
  if (typeof body !== 'string') throw emptyBody();
  const parsed = parseAsset(formatAsset({ ...fields, name, productLine }, body));
  checkContent(parsed);
  return parsed;
}
