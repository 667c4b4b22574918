import type { DynamicListing, Language, SectionOptions, TreeMetadata } from '../data.ts';
import { escapeName } from '../tree/escape.ts';
import { fenced } from './fence.ts';
import { templateFilters } from './template.ts';
import { sectionTexts } from './texts.ts';

/** How a section is written. */
export interface SectionStyle {
  readonly language: Language;
  readonly toolNames: SectionOptions;
  /** Whether times are shown. They make every section different, so that no provider can cache the prompt. */
  readonly showTime: boolean;
}

/** What a section shows. */
export interface SectionContent {
  readonly tree: string;
  readonly metadata: TreeMetadata;
  /** The levels that the tree shows. They may be more than `metadata.depth`. */
  readonly levels: number;
  readonly dynamic: Readonly<Record<string, DynamicListing>>;
  /** Texts of files at the root, by name. */
  readonly coreFiles?: readonly CoreFile[] | undefined;
  readonly gitLine?: string | undefined;
}

/** The head of a file. */
export interface CoreFile {
  readonly name: string;
  readonly text: string;
  /** The number of code units that are not shown. */
  readonly more: number;
}

const byBytes = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right));

/** Writes the kept listings. Empty when there are none. */
export function renderListings(dynamic: SectionContent['dynamic'], style: SectionStyle): string {
  const texts = sectionTexts[style.language];
  const listings = Object.entries(dynamic).toSorted(byBytes);
  if (listings.length === 0) return '';
  const shown = listings.map(([path, { items, cachedAt }]) => [path, style.showTime ? { items, cachedAt } : { items }]);
  const body = templateFilters['yaml.stringify'](Object.fromEntries(shown)).trimEnd();
  const { list = 'ls' } = style.toolNames;
  return [texts.dynamicHeading(list), texts.dynamicIntro, fenced(body, 'yaml')].join('\n\n');
}

function renderCoreFiles(files: readonly CoreFile[], { language }: SectionStyle): string {
  const { coreFiles, moreCharacters } = sectionTexts[language];
  const parts = files.map(
    ({ name, text, more }) =>
      `### ${escapeName(name)}\n\n${fenced(more > 0 ? `${text}\n${moreCharacters(more)}` : text)}`,
  );
  return [coreFiles, ...parts].join('\n\n');
}

/** Writes the section of a prompt that shows the workspace. */
export function renderSection(content: SectionContent, style: SectionStyle): string {
  const texts = sectionTexts[style.language];
  const { tree, metadata, levels, dynamic, coreFiles = [], gitLine } = content;
  const { list = 'ls' } = style.toolNames;
  const parts = [texts.heading];
  if (tree === '') {
    const isEmpty = metadata.error === undefined && metadata.entries === 0;
    parts.push(isEmpty ? texts.empty : texts.unavailable(list));
  } else {
    const notes = [
      ...texts.usage(list),
      ...(metadata.error === undefined ? [] : [texts.incomplete]),
      ...(style.showTime ? [texts.cachedAt(metadata.cachedAt)] : []),
    ];
    parts.push(texts.intro(list, Math.max(metadata.depth, levels)), fenced(tree), [texts.notes, ...notes].join('\n'));
  }
  if (gitLine !== undefined) parts.push(gitLine);
  if (coreFiles.length > 0) parts.push(renderCoreFiles(coreFiles, style));
  const listings = renderListings(dynamic, style);
  if (listings !== '') parts.push(listings);
  return parts.join('\n\n');
}
