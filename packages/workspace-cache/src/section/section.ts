import type { Language } from '@cairn/tool/kernel';
import type { SectionOptions, TreeMetadata } from '../data.ts';
import { escapeName } from '../tree/escape.ts';
import { fenced } from './template.ts';
import { sectionTexts } from './texts.ts';

export interface SectionStyle {
  readonly language: Language;
  readonly toolNames: SectionOptions;
  /** Whether times are shown. They make every section different, so that no provider can cache the prompt. */
  readonly showTime: boolean;
}

export interface SectionContent {
  readonly tree: string;
  readonly metadata: TreeMetadata;
  /** The levels that the tree shows. They may be more than `metadata.depth`. */
  readonly levels: number;
  /** The kept listings, written. */
  readonly listings?: string | undefined;
  /** Texts of files at the root, by name. */
  readonly coreFiles?: readonly CoreFile[] | undefined;
  readonly gitLine?: string | undefined;
}

export interface CoreFile {
  readonly name: string;
  readonly text: string;
  /** The number of code units that are not shown, or of bytes where not all of the file was read. */
  readonly more: number;
  readonly unit: 'characters' | 'bytes';
}

function renderCoreFiles(files: readonly CoreFile[], { language }: SectionStyle): string {
  const { coreFiles, moreCharacters, moreBytes } = sectionTexts[language];
  const parts = files.map(({ name, text, more, unit }) => {
    const rest = unit === 'bytes' ? moreBytes(more) : moreCharacters(more);
    return `### ${escapeName(name)}\n\n${fenced(more > 0 ? `${text}\n${rest}` : text)}`;
  });
  return [coreFiles, ...parts].join('\n\n');
}

export function renderSection(content: SectionContent, style: SectionStyle): string {
  const texts = sectionTexts[style.language];
  const { tree, metadata, levels, listings = '', coreFiles = [], gitLine } = content;
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
  if (listings !== '') parts.push(listings);
  return parts.join('\n\n');
}
