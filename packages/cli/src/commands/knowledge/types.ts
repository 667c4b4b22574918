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
