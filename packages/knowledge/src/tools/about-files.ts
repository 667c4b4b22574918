import type { FileNoteSource } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { AssetHead } from '../assets/asset.ts';
import { createGlobs } from '../assets/globs.ts';
import type { Knowledge } from '../create-knowledge.ts';
import { callOf, wrapLines } from './formatting.ts';
import { joined } from './tool-context.ts';
import type { ToolTexts } from './texts.ts';

const MAX_LINES = 5;

function pathBelow(roots: readonly string[], file: string): string | undefined {
  const inside = roots.filter((root) => file.startsWith(root.endsWith(sep) ? root : `${root}${sep}`));
  const [innermost] = inside.toSorted((one, other) => other.length - one.length);
  return innermost === undefined ? undefined : relative(innermost, file).replaceAll(sep, '/');
}

/**
 * Makes the notes of a session about files: the index lines of the assets with a glob that matches, each once in the session.
 */
export function createFileNoteSource(
  open: () => Promise<Knowledge>,
  { roots, texts }: { readonly roots: readonly string[]; readonly texts: ToolTexts },
): FileNoteSource {
  const shown = new Set<string>();
  /** By head, which the index replaces when the asset changes. */
  const matchers = new WeakMap<AssetHead, (path: string) => boolean>();
  let realRoots: Promise<readonly (string | undefined)[]> | undefined;

  const matcherOf = (head: AssetHead): ((path: string) => boolean) => {
    let matcher = matchers.get(head);
    if (matcher === undefined) matchers.set(head, (matcher = createGlobs(head.paths)));
    return matcher;
  };

  return async (files, { signal }) => {
    const knowledge = await open();
    await knowledge.index.refresh({ signal });
    const isNew = ({ id, paths, status, type }: AssetHead): boolean =>
      paths.length > 0 && status === 'active' && type !== 'skill' && !shown.has(id);
    const heads = knowledge.index.heads().filter(isNew);
    if (heads.length === 0) return undefined;
    // A root that does not exist has no files.
    realRoots ??= Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
    const within = (await realRoots).filter((root) => root !== undefined);
    const paths = files.flatMap((file) => pathBelow(within, file) ?? []);
    const found = heads.filter((head) => paths.some(matcherOf(head)));
    const lines = found.slice(0, MAX_LINES);
    if (lines.length === 0) return undefined;
    for (const { id } of lines) shown.add(id);
    const about = paths.filter((path) => found.some((head) => matcherOf(head)(path))).slice(0, MAX_LINES);
    return joined([
      `[${texts.aboutFiles}]`,
      wrapLines({ about: about.map((path) => quotePath(path)).join(', ') }, lines),
      found.length > lines.length
        ? `[${texts.moreAboutFiles(found.length - lines.length, callOf('scan_index', {}))}]`
        : '',
    ]);
  };
}
