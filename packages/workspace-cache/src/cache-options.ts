import { checkArguments, isObject, type OptionNames } from '@cairn/tool/kernel';
import type { Workspace } from '@cairn/coding-agent';
import { ToolError } from '@cairn/tool';
import { isAbsolute, resolve } from 'node:path';
import process from 'node:process';
import type { ToolNames } from './data.ts';
import type { SectionStyle } from './section/section.ts';
import { tokensOf } from './tree/tokens.ts';
import { checkToolNames, checkValues, describe, flag, isFunction, namesIn, type Rules } from './checks.ts';
import { resolveTreeOptions, treeOptionNames, type ResolvedTreeOptions, type TreeOptions } from './tree/options.ts';

/** Something that went wrong and does not end the work. */
interface WorkspaceCacheWarning {
  readonly message: string;
  readonly root: string;
  readonly cause?: unknown;
}

export interface WorkspaceCacheOptions extends TreeOptions {
  /** The directory that is shown: absolute. */
  readonly root: string;
  /** The cache follows the changes of this workspace. Default: none. */
  readonly workspace?: Workspace | undefined;
  /** `static`: the tree alone, without listings that are kept during the run. @default 'full' */
  readonly mode?: 'full' | 'static' | undefined;
  /** Show the heads of READMEs, package manifests and `AGENTS.md` in the section. @default false */
  readonly coreFiles?: boolean | undefined;
  /** Show the branch, the number of changed files and the last three subjects in the section. @default false */
  readonly git?: boolean | undefined;
  /** Show times in the section. No provider can cache a prompt that has a time in it. @default false */
  readonly showTime?: boolean | undefined;
  /**
   * Let `init` begin to read the 20 most used files of the project into memory: see `ContentCache.preload`. It waits for none of
   * them; `close` ends it.
   * @default false
   */
  readonly preload?: boolean | undefined;
  /** The names of the host's tools, for the texts. */
  readonly toolNames?: ToolNames | undefined;
  /**
   * The directory for access counts of files. Default: one of the user's, outside the workspace. When it cannot be used, the counts
   * end with the process.
   */
  readonly stateDirectory?: string | undefined;
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly clock?: (() => number) | undefined;
  /** Receives each warning. Default: `process.emitWarning`. */
  readonly onWarning?: ((warning: WorkspaceCacheWarning) => void) | undefined;
}

type Chosen = 'root' | 'mode' | 'coreFiles' | 'git' | 'preload' | 'clock';

export type ResolvedCacheOptions = { readonly [Name in Chosen]: NonNullable<WorkspaceCacheOptions[Name]> } & {
  readonly tree: ResolvedTreeOptions;
  /** The tokens of section, listings and updates together, as the caller gave them. */
  readonly maxTokens: number | undefined;
  readonly workspace: Workspace | undefined;
  readonly toolNames: Required<{ readonly [Name in keyof ToolNames]: string }>;
  readonly stateDirectory: string | undefined;
  readonly style: SectionStyle;
  /** Counts the tokens of a string for this run. */
  readonly count: (text: string) => number;
  /** Passes a warning on, with the root. Never throws. */
  readonly warn: (message: string, cause?: unknown) => void;
};

function isPath(path: unknown): path is string {
  return typeof path === 'string' && isAbsolute(path) && !path.includes('\0');
}

const rules: Rules<Omit<WorkspaceCacheOptions, keyof TreeOptions | 'root' | 'toolNames'>> = {
  workspace: [(value) => isObject(value) && isFunction(value['onChange']), 'a workspace of createWorkspace'],
  mode: [(value) => value === 'full' || value === 'static', '"full" or "static"'],
  coreFiles: flag,
  git: flag,
  showTime: flag,
  preload: flag,
  stateDirectory: [isPath, 'an absolute path'],
  clock: [isFunction, 'a function that returns milliseconds'],
  onWarning: [isFunction, 'a function'],
};

export const cacheOptionNames: OptionNames<WorkspaceCacheOptions> = {
  ...treeOptionNames,
  ...namesIn(rules),
  root: 'required',
  toolNames: 'optional',
};

/** Checks options and adds the defaults. The value `undefined` counts as not given. @throws {ToolError} `INVALID_OPTION` */
export function resolveCacheOptions(options: WorkspaceCacheOptions): ResolvedCacheOptions {
  checkArguments.options('createWorkspaceCache', options, cacheOptionNames);
  if (!isPath(options.root)) {
    const summary = `root must be an absolute path, not ${describe(options.root)}`;
    throw new ToolError('INVALID_OPTION', [summary, 'Make it absolute with path.resolve.']);
  }
  const root = resolve(options.root);
  const { workspace, mode = 'full', coreFiles = false, git = false, showTime = false, preload = false } = options;
  const { toolNames = {}, stateDirectory, clock = Date.now, onWarning } = options;
  checkValues(options, rules);
  checkToolNames(toolNames);
  const tree = resolveTreeOptions(options);
  const names = { list: toolNames.list ?? 'ls', read: toolNames.read ?? 'read' };
  return {
    root,
    tree,
    style: { language: tree.language, toolNames: names, showTime },
    count: (text) => tokensOf(text, tree.countTokens),
    maxTokens: options.maxTokens === Infinity ? undefined : options.maxTokens,
    workspace,
    mode,
    coreFiles,
    git,
    preload,
    toolNames: names,
    stateDirectory,
    clock,
    warn: (message, cause) => {
      try {
        const text = `workspace cache of ${root}: ${message}`;
        if (onWarning) onWarning({ message: text, root, ...(cause !== undefined && { cause }) });
        else process.emitWarning(text, 'CairnWarning');
      } catch {
        // An observer must not end the work.
      }
    },
  };
}
