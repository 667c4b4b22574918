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

/** People read the type `discovery`, which an asset has when nobody chose one, as `note`. */
const NOTE = 'note';

export const READ_TYPES: readonly string[] = [NOTE, ...ASSET_TYPE_NAMES.filter((name) => name !== 'discovery')];

/** Returns a type as people read it. */
export function readType(type: string): string {
  return type === 'discovery' ? NOTE : type;
}

/** Parses a type as people write it. */
export function typeParser(name: string): (value: string) => (typeof ASSET_TYPE_NAMES)[number] {
  const parse = oneOf([NOTE, ...ASSET_TYPE_NAMES])(name);
  return (value) => {
    const type = parse(value);
    return type === NOTE ? 'discovery' : type;
  };
}

export const typeOption = describedOption('--type <type>', typeParser);

/** The product line of an asset. */
export const areaOption = describedOption('--area <name>', filled);

export const assetArgument = ['<asset>', 'area/name, or the name'] as const;
