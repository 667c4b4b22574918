import { describedOption, type FlagsOf } from '../../terminal/parsed.ts';
import { answerOptions, filled, oneOf } from '../../terminal/options.ts';

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

export const directoryOption = [
  '--directory <dir>',
  "directory of the knowledge (default: CAIRN_KNOWLEDGE_DIR, else the user's own)",
  filled,
] as const;

export const knowledgeOptions = [directoryOption, ...answerOptions] as const;

export type KnowledgeFlags = FlagsOf<typeof knowledgeOptions>;

export const typeOption = describedOption('--type <type>', oneOf(ASSET_TYPE_NAMES));

export const productLineOption = describedOption('--product-line <name>', filled);

export const assetArgument = ['<asset>', 'product_line/name, or the name'] as const;
