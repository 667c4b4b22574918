import { onAnyChange, type WorkspaceChange } from '@cairn/coding-agent';
import { canonicalRoots } from '@cairn/coding-agent/internal';
import { ToolError, type Resource, type ResourceChanges, type ResourceProvider } from '@cairn/tool';
import { escapeControls, quotePath } from '@cairn/tool/paths';
import { basename } from 'node:path';
import type { DynamicListings } from '../listings/dynamic-listings.ts';
import { IGNORE_FILES, isAffected, pathsOf } from '../listings/paths.ts';
import { requireTree, treeText } from './tree-text.ts';
import type { WorkspaceTreeToolOptions } from './tree-tool.ts';
import { treeToolTexts } from './tree-texts.ts';

const BASE = 'cairn://workspace/';

const LISTINGS_URI = `${BASE}listings`;

/** Returns the URI of the tree of a root. The first root has none of the numbers. */
function treeUri(index: number): string {
  return index === 0 ? `${BASE}tree` : `${BASE}tree/${index + 1}`;
}

interface WorkspaceResourcesOptions extends WorkspaceTreeToolOptions {
  /** The roots as the caller named them. */
  readonly roots: readonly string[];
  /** Absent in the mode `static`. */
  readonly listings: DynamicListings | undefined;
}

/** Returns the paths of a change after which a tree may be another one. */
function treePathsOf({ written, ...rest }: WorkspaceChange): string[] {
  const rules = written.filter((path) => IGNORE_FILES.includes(basename(path)));
  return [...rules, ...pathsOf({ ...rest, written: rest.created })];
}

function resourcesOf({ roots, listings, language, list }: WorkspaceResourcesOptions): Resource[] {
  const texts = treeToolTexts[language];
  const trees = roots.map((root, index): Resource => {
    const title = quotePath(basename(root) || root);
    return {
      uri: treeUri(index),
      name: `tree of ${title}`,
      title: `Tree of ${title}`,
      description: texts.treeResource,
      mimeType: 'text/plain',
    };
  });
  if (listings === undefined) return trees;
  const description = texts.listingsResource(list);
  const named = { name: 'cached listings', title: 'Cached listings' };
  return [...trees, { uri: LISTINGS_URI, ...named, description, mimeType: 'application/json' }];
}

async function readTree(
  { workspace, treeAt, language, list }: WorkspaceResourcesOptions,
  root: string,
  signal: AbortSignal,
): Promise<string> {
  // A root may have become a link that leads elsewhere.
  const { real } = await workspace.resolve(root);
  const tree = await treeAt(real, { signal });
  requireTree(tree.metadata, root, 'Read the tree of another root, or tell the user.');
  return treeText(tree, { path: root, language, list });
}

/** Announces the trees of roots in which a commit of any workspace of this process changed something, and changes of the listings. */
function changesOf({ workspace, roots, listings }: WorkspaceResourcesOptions): ResourceChanges['onChange'] {
  const basesOf = canonicalRoots(workspace.operations, roots);
  return (listener) => {
    const update = (uri: string): void => listener({ kind: 'resource-update', uri });
    const announce = async (paths: readonly string[]): Promise<void> => {
      for (const [index, base] of (await basesOf()).entries()) {
        if (isAffected(base, paths)) update(treeUri(index));
      }
    };
    const stops = [
      onAnyChange((change) => {
        const paths = treePathsOf(change);
        if (paths.length > 0) void announce(paths);
      }),
      listings?.onChange(() => update(LISTINGS_URI)),
    ];
    return () => {
      for (const stop of stops) stop?.();
    };
  };
}

export function workspaceResources(options: WorkspaceResourcesOptions): ResourceProvider {
  const { roots, listings } = options;
  const resources = resourcesOf(options);
  return {
    list: async () => ({ resources }),
    read: async (uri, { signal }) => {
      if (!uri.startsWith(BASE)) return undefined;
      if (uri === LISTINGS_URI && listings !== undefined) {
        // Another program may have changed a directory.
        await listings.check();
        const text = escapeControls(JSON.stringify(listings.record, undefined, 2), '\n');
        return [{ uri, mimeType: 'application/json', text }];
      }
      const root = roots.find((_, index) => treeUri(index) === uri);
      if (root !== undefined) return [{ uri, mimeType: 'text/plain', text: await readTree(options, root, signal) }];
      const known = resources.map((resource) => resource.uri).join(', ');
      const what = `The resource ${escapeControls(JSON.stringify(uri))} does not exist`;
      throw new ToolError('NOT_FOUND', [what, `Read ${known}.`]);
    },
    changes: {
      announces: (uri) => resources.some((resource) => resource.uri === uri),
      onChange: changesOf(options),
    },
  };
}
