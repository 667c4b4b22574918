import type { ResolvedCacheOptions } from './cache-options.ts';
import { messageOf } from './checks.ts';
import type { OwnContentCache } from './content/content-cache.ts';
import { coreFilesOf, MAX_LENGTH } from './section/core-files.ts';
import { gitLineOf } from './section/git.ts';
import type { SectionContent } from './section/section.ts';
import type { BuiltTree } from './tree/build.ts';

/** Reads what the section of a run shows beside the tree. Never rejects. */
export async function extrasOf(
  { root }: BuiltTree,
  { coreFiles, git, maxTokens, tree, warn }: ResolvedCacheOptions,
  content: OwnContentCache,
): Promise<Required<Pick<SectionContent, 'coreFiles' | 'gitLine'>>> {
  if (root === undefined) return { coreFiles: undefined, gitLine: undefined };
  const readCoreFiles = async (): Promise<SectionContent['coreFiles']> => {
    try {
      return await coreFilesOf(root, {
        read: (path, maxBytes) => content.readHead(path, maxBytes),
        gitignore: tree.gitignore,
        maxLength: maxTokens === undefined ? MAX_LENGTH : Math.min(MAX_LENGTH, maxTokens),
      });
    } catch (error) {
      warn(`workspace cache of ${root}: core files cannot be read: ${messageOf(error)}`, error);
      return undefined;
    }
  };
  const [files, gitLine] = await Promise.all([
    coreFiles ? readCoreFiles() : undefined,
    git ? gitLineOf(root, tree.language) : undefined,
  ]);
  return { coreFiles: files, gitLine };
}
