import type { AnswerFlags } from '../../terminal/answer.ts';
import { answerOptions, filled, oneOf, splitValues, type OptionRow } from '../../terminal/options.ts';
import { ASSET_TYPE_NAMES } from './types.ts';

/** The options of every command on knowledge, as parsed. */
export interface KnowledgeFlags extends AnswerFlags {
  readonly directory?: string;
}

/** The options that set fields of an asset, as parsed. */
export interface FieldFlags {
  readonly type?: (typeof ASSET_TYPE_NAMES)[number];
  readonly productLine?: string;
  readonly title?: string;
  readonly tag?: readonly string[];
  readonly path?: readonly string[];
}

export const directoryOption: OptionRow = [
  '--directory <dir>',
  "directory of the knowledge (default: CAIRN_KNOWLEDGE_DIR, else the user's own)",
  filled,
];

export const knowledgeOptions: readonly OptionRow[] = [directoryOption, ...answerOptions];

export function typeOption(description: string): OptionRow {
  return ['--type <type>', description, oneOf(ASSET_TYPE_NAMES)];
}

export function productLineOption(description: string): OptionRow {
  return ['--product-line <name>', description, filled];
}

export const fieldOptions: readonly OptionRow[] = [
  typeOption(`type: ${ASSET_TYPE_NAMES.join(', ')}`),
  productLineOption('product line, such as exchange/core (default: general)'),
  ['--title <title>', 'title of one line', filled],
  ['--tag <name>', 'add a tag; repeat it for more', splitValues],
  ['--path <glob>', 'files that the asset is about, such as src/**/*.ts; repeat it for more', splitValues],
];

/** The argument that names an asset. */
export const assetArgument = ['<asset>', 'product_line/name, or the name'] as const;
