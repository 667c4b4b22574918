import { fsScanCacheStats } from '@cairn/natives';
import { messageOf } from './checks.ts';
import { coreFilesOf, MAX_LENGTH } from './section/core-files.ts';
import type { ResolvedCacheOptions } from './cache-options.ts';
import type { OwnContentCache } from './content/content-cache.ts';
import { SECTION_SHARE } from './run-texts.ts';
import { gitLineOf, headOf } from './section/git.ts';
import { renderSection, type SectionContent } from './section/section.ts';
import { sectionTexts } from './section/texts.ts';
import type { BuiltTree } from './tree/build.ts';
import type { Trees } from './tree/trees.ts';

function scans(): number {
  const { misses, rescans } = fsScanCacheStats();
  return misses + rescans;
}

/** The scans that a call has taken for itself, or that came before the last of these calls ended. */
let taken = 0;

/**
 * Runs a call and counts the complete scans that natives made during it. A scan counts for one call: of calls that share it, the first
 * to end has it. Natives count for the whole process, so a concurrent search of another root counts, too.
 */
export async function countScans<Result>(
  call: () => Promise<Result>,
): Promise<readonly [result: Result, scans: number]> {
  const before = scans();
  const result = await call();
  const now = scans();
  const own = now - Math.max(before, taken);
  taken = Math.max(now, taken);
  return [result, Math.max(0, own)];
}

/** How often a run begins again when the commit or the branch changes meanwhile. */
const MAX_ATTEMPTS = 3;

/** How often a tree is made smaller. Tokens of texts do not add up exactly. */
const MAX_CUTS = 4;

export interface BegunTree {
  readonly tree: BuiltTree;
  readonly content: Omit<SectionContent, 'listings'>;
}

interface BeginParts {
  readonly resolved: ResolvedCacheOptions;
  readonly trees: Trees;
  readonly content: OwnContentCache;
}

type Extras = Pick<SectionContent, 'coreFiles' | 'gitLine'>;

export function contentOf(tree: BuiltTree, extras: Extras): BegunTree {
  const { levels, metadata } = tree;
  return { tree, content: { ...extras, tree: tree.tree, metadata, levels } };
}

/** Reads what the section of a run shows next to the tree. Never rejects. */
async function extrasOf(root: string, { resolved, content }: BeginParts): Promise<Extras> {
  const { git, maxTokens = MAX_LENGTH, tree, warn } = resolved;
  const readCoreFiles = (): Promise<Extras['coreFiles']> => {
    const read = content.readHead.bind(content);
    const options = { read, gitignore: tree.gitignore, maxLength: Math.min(MAX_LENGTH, maxTokens) };
    return coreFilesOf(root, options).catch((error: unknown) => {
      warn(`core files cannot be read: ${messageOf(error)}`, error);
      return undefined;
    });
  };
  const [coreFiles, gitLine] = await Promise.all([
    resolved.coreFiles ? readCoreFiles() : undefined,
    git ? gitLineOf(root, tree.language) : undefined,
  ]);
  return { coreFiles, gitLine };
}

/** The first trees of runs that begin now, by root. */
const beginning = new Map<string, Promise<unknown>>();

/** Runs builds of one root that begin at once after the first of them: they compare its scan with the disk, and scan nothing again. */
async function afterFirst(root: string, build: () => Promise<BuiltTree>): Promise<BuiltTree> {
  const first = beginning.get(root);
  if (first !== undefined) {
    await first.catch(() => undefined);
    return build();
  }
  const building = build().finally(() => beginning.delete(root));
  beginning.set(root, building);
  return building;
}

/**
 * Makes the tree of a run and what the section shows next to it. The tree is not older than the call, and of the same commit as the
 * line about git.
 */
export async function beginTree(parts: BeginParts): Promise<BegunTree> {
  const { resolved, trees } = parts;
  const { root, git, tree: options } = resolved;
  for (let attempt = 1; ; attempt++) {
    const head = git ? await headOf(root) : undefined;
    const tree = await afterFirst(root, () => trees.build(options, { validate: true }));
    const extras = tree.root === undefined ? {} : await extrasOf(tree.root, parts);
    const isOneMoment = !git || head === (await headOf(root));
    if (!isOneMoment && attempt < MAX_ATTEMPTS) continue;
    const gitLine = isOneMoment ? extras.gitLine : sectionTexts[options.language].noGit.changing;
    return fitSection(contentOf(tree, { ...extras, gitLine }), parts);
  }
}

/** Makes the tree smaller until the section takes its share of the tokens that the caller allows. */
async function fitSection(begun: BegunTree, { resolved, trees }: BeginParts): Promise<BegunTree> {
  const { maxTokens, tree: options, style, count } = resolved;
  if (maxTokens === undefined) return begun;
  const share = Math.floor(maxTokens * SECTION_SHARE);
  const withoutTree = { ...begun.content, tree: '' };
  // The tree comes first.
  const isLong = count(renderSection(withoutTree, style)) > share / 2;
  let fitted = isLong ? contentOf(begun.tree, { gitLine: begun.content.gitLine }) : begun;
  let limit = options.maxTokens;
  for (let cut = 1; cut <= MAX_CUTS && fitted.tree.tree !== ''; cut++) {
    const tokens = count(renderSection(fitted.content, style));
    if (tokens <= share) break;
    const inTree = Math.max(1, count(fitted.tree.tree));
    // In proportion: the limit of a tree counts otherwise than `count`, so that tokens of one are not tokens of the other.
    const kept = Math.max(0, 1 - (tokens - share) / inTree);
    const isLast = cut === MAX_CUTS;
    limit = isLast ? 0 : Math.floor(Math.min(limit, fitted.tree.metadata.estimatedTokens) * kept);
    const maxWholeTokens = Math.min(options.maxWholeTokens, limit);
    const tree = await trees.build({ ...options, maxTokens: limit, maxWholeTokens });
    // Later states are compared with the tree that was validated.
    const { state, version } = begun.tree;
    fitted = contentOf({ ...tree, state, version }, fitted.content);
  }
  return fitted;
}
