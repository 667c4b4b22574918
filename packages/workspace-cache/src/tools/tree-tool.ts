import type { Fields, Language } from '@cairn/tool/kernel';
import type { Workspace } from '@cairn/coding-agent';
import { readOnly, type ResolvedPath } from '@cairn/coding-agent/internal';
import { createTool, inputSchema, succeed, ToolError, type ToolDefinition } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import type { TreeMetadata } from '../data.ts';
import { requireDirectory } from '../listings/paths.ts';
import type { WorkspaceTree } from '../tree/build.ts';
import type { TreeForm } from '../tree/options.ts';
import type { TreeCallOptions } from '../tree/trees.ts';
import { requireTree, treeText } from './tree-text.ts';
import { treeToolTexts } from './tree-texts.ts';

export const WORKSPACE_TREE = 'workspace_tree';

export interface WorkspaceTreeInput {
  readonly path?: string | undefined;
  readonly depth?: number | 'auto' | undefined;
  readonly characters?: number | undefined;
  readonly format?: TreeForm | undefined;
  readonly focus?: readonly string[] | undefined;
}

export interface WorkspaceTreeDetails extends TreeMetadata {
  readonly path: string;
  /** See `WorkspaceTree`. */
  readonly version: number;
}

export type TreeAt = (directory: string, options: TreeCallOptions) => Promise<WorkspaceTree>;

export interface WorkspaceTreeToolOptions {
  readonly workspace: Workspace;
  readonly treeAt: TreeAt;
  readonly language: Language;
  /** The name of the tool that lists a directory. */
  readonly list: string;
}

const MAX_TREE_CHARACTERS = 100_000;

const MAX_DEPTH = 100;

/** Models write a number as text, too. */
function withNumber(input: Fields): Fields {
  const { depth } = input;
  return typeof depth === 'string' && /^\d+$/u.test(depth) ? { ...input, depth: Number(depth) } : input;
}

/** Returns a path of `focus`, which is relative to the root like every path, relative to the directory that is shown. */
function focusBelow(focus: string, directory: ResolvedPath, root: string): string {
  const path = relative(directory.absolute, resolve(root, focus));
  if (path === '..' || path.startsWith(`..${sep}`)) {
    const place = directory.display === '.' ? 'the root' : directory.display;
    const summary = `${quotePath(focus)} is not in ${place}`;
    throw new ToolError('INVALID_INPUT', [summary, 'Write paths in focus relative to the root, like path.']);
  }
  return path === '' ? '.' : path.replaceAll(sep, '/');
}

/** Makes the tool `workspace_tree`: the tree of the workspace, or of a directory in it, as it is now. */
export function createWorkspaceTreeTool(
  options: WorkspaceTreeToolOptions,
): ToolDefinition<WorkspaceTreeInput, WorkspaceTreeDetails> {
  const { workspace, treeAt, language, list } = options;
  const texts = treeToolTexts[language];
  const shape = {
    path: z.string().optional().describe(texts.path),
    depth: z
      .union([z.int().min(1).max(MAX_DEPTH), z.literal('auto')])
      .optional()
      .describe(texts.depth),
    characters: z.int().min(0).max(MAX_TREE_CHARACTERS).optional().describe(texts.characters),
    format: z.enum(['box', 'indent', 'paths']).optional().describe(texts.format),
    focus: z.array(z.string().min(1)).optional().describe(texts.focus),
  };
  return createTool<WorkspaceTreeInput, WorkspaceTreeDetails>({
    name: WORKSPACE_TREE,
    description: texts.description,
    inputSchema: inputSchema(shape, { adapt: withNumber }),
    annotations: readOnly('Show the workspace as a tree'),
    run: async ({ path = '.', depth, characters, format, focus = [] }, { signal }) => {
      const directory = await workspace.resolve(path);
      requireDirectory(directory, {
        missing: `List the directory above it with ${list}.`,
        other: 'Show the directory that contains it, with this path as focus.',
      });
      const given = new Map(focus.map((one) => [focusBelow(one, directory, workspace.root), one]));
      const { version, ...tree } = await treeAt(directory.real, {
        depth,
        maxCharacters: characters,
        format,
        focus: [...given.keys()],
        signal,
      });
      const missingFocus = tree.metadata.missingFocus?.map((one) => given.get(one) ?? one);
      const metadata = { ...tree.metadata, ...(missingFocus && { missingFocus }) };
      requireTree(metadata, directory.display, 'Show another directory, or tell the user.');
      const text = treeText({ tree: tree.tree, metadata }, { path: directory.path, language, list });
      return succeed(text, { path: directory.path, ...metadata, version });
    },
  });
}
