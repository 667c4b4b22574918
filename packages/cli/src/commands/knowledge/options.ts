import { describedOption, type DescribedOption } from '../../terminal/parsed.ts';
import type { AnswerFlags } from '../../terminal/answer.ts';
import { answerOptions, filled, oneOf, type OptionRow } from '../../terminal/options.ts';

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

export const typeOption: DescribedOption<'--type <type>', (typeof ASSET_TYPE_NAMES)[number]> = describedOption(
  '--type <type>',
  oneOf(ASSET_TYPE_NAMES),
);

export const productLineOption: DescribedOption<'--product-line <name>'> = describedOption(
  '--product-line <name>',
  filled,
);

export const assetArgument = ['<asset>', 'product_line/name, or the name'] as const;
