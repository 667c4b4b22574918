import type { ValueOption } from '../../terminal/parsed.ts';
import type { AnswerFlags } from '../../terminal/answer.ts';
import { answerOptions, filled, oneOf, type OptionRow } from '../../terminal/options.ts';

/** The options of every command on knowledge, as parsed. */
export interface KnowledgeFlags extends AnswerFlags {
  readonly directory?: string;
}

/** The types of assets, written here because a command line is parsed before its packages are loaded. A test compares them. */
export const ASSET_TYPE_NAMES = [
  'pitfall',
  'reference',
  'pattern',
  'best-practice',
  'glossary',
  'adr',
  'discovery',
  'skill',
] as const;

export const directoryOption: OptionRow = [
  '--directory <dir>',
  "directory of the knowledge (default: CAIRN_KNOWLEDGE_DIR, else the user's own)",
  filled,
];

export const knowledgeOptions: readonly OptionRow[] = [directoryOption, ...answerOptions];

export function typeOption(description: string): ValueOption<'--type <type>', (typeof ASSET_TYPE_NAMES)[number]> {
  return ['--type <type>', description, oneOf(ASSET_TYPE_NAMES)];
}

export function productLineOption(description: string): ValueOption<'--product-line <name>'> {
  return ['--product-line <name>', description, filled];
}

/** The argument that names an asset. */
export const assetArgument = ['<asset>', 'product_line/name, or the name'] as const;
