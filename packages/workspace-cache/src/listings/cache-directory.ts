import { explaining } from '@cairn/tool/internal';
import type { Fields, Language } from '@cairn/tool/kernel';
import { createTool, inputSchema, succeed, type ToolDefinition, type ToolSuccess } from '@cairn/tool';
import { quotePath, unquotePath } from '@cairn/tool/paths';
import { OWN_TEMPORARY, readOnly } from '@cairn/coding-agent/internal';
import type { DirectoryEntry } from '@cairn/coding-agent';
import { join } from 'node:path';
import { z } from 'zod';
import type { CacheScope } from '../content/scope.ts';
import type { ListedItem, ToolNames } from '../data.ts';
import { CACHE_DIRECTORY, cacheDirectoryTexts, type CacheDirectoryTexts } from './cache-directory-texts.ts';
import { MAX_ITEMS, type DynamicListings } from './dynamic-listings.ts';
import { isDirectoryItem, itemsOf } from './items.ts';
import { locate, requireDirectory } from './paths.ts';
import { isSecretDirectory } from './shown-items.ts';

export interface CacheDirectoryInput {
  readonly path: string;
  readonly items: readonly ListedItem[];
}

/** How the items of a call differ from the directory. Each list has at most 100 names. */
interface ItemDifferences {
  /** Items that are not in the directory. */
  readonly unknown?: readonly string[];
  /** Entries of the directory that are not in the items. */
  readonly missing?: readonly string[];
  /** Directories that the items do not show as such, and the other way round. */
  readonly otherKind?: readonly string[];
}

export interface CacheDirectoryDetails {
  readonly message: string;
  readonly cached: boolean;
  /** Absent when the items are the entries of the directory. */
  readonly differences?: ItemDifferences;
}

export interface CacheDirectoryOptions {
  readonly scope: CacheScope;
  readonly dynamic: DynamicListings;
  readonly language: Language;
  readonly toolNames: ToolNames;
  readonly onCall?: (() => void) | undefined;
}

const MAX_NAMES = 100;

/** How many of them the text names. */
const MAX_SHOWN = 20;

/** A directory as it is now. */
interface Listed {
  readonly real: string;
  readonly entries: readonly DirectoryEntry[];
  readonly items: readonly ListedItem[];
}

function differencesOf({ path, items }: CacheDirectoryInput, { real, entries }: Listed): Required<ItemDifferences> {
  const kinds = new Map(entries.map(({ name, kind }) => [name, kind]));
  const hasName = (item: ListedItem): boolean => typeof (item['path'] ?? item['name']) === 'string';
  const found = itemsOf(items.filter(hasName), [path, real]) ?? [];
  const unnamed = items.filter((item) => !hasName(item)).map((item) => JSON.stringify(item).slice(0, MAX_NAMES));
  const unknown = found.filter(({ below }) => !kinds.has(below)).map(({ below }) => below);
  const otherKind = found.filter(({ item, below }) => {
    const [kind, isDirectory] = [kinds.get(below), isDirectoryItem(item)];
    if (kind === undefined || kind === 'symlink' || isDirectory === undefined) return false;
    return isDirectory !== (kind === 'directory');
  });
  const seen = new Set(found.map(({ below }) => below));
  return {
    unknown: [...new Set([...unknown, ...unnamed])],
    missing: [...kinds.keys()].filter((name) => !seen.has(name)),
    otherKind: [...new Set(otherKind.map(({ below }) => below))],
  };
}

/** Lists a directory as the tools do: in the order of names. */
async function list(scope: CacheScope, real: string): Promise<DirectoryEntry[]> {
  const entries = await scope.operations.list(real);
  const shown = entries.filter(({ name, kind }) => kind !== 'file' || !OWN_TEMPORARY.test(name));
  return shown.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function itemsAt(scope: CacheScope, real: string, entries: readonly DirectoryEntry[]): Promise<ListedItem[]> {
  const items = entries.map(async ({ name, kind }) => {
    if (kind !== 'symlink') return { name, isDirectory: kind === 'directory' };
    const target = await scope.operations.readLink(join(real, name)).catch(() => '?');
    return { name, isDirectory: false, target };
  });
  return Promise.all(items);
}

function unquoted(item: ListedItem): ListedItem {
  const names = (['name', 'path'] as const).filter((key) => typeof item[key] === 'string');
  return { ...item, ...Object.fromEntries(names.map((key) => [key, unquotePath(String(item[key]))])) };
}

/** Some list tools return names alone. */
function withObjects(input: Fields): Fields {
  const { items } = input;
  if (!Array.isArray(items)) return input;
  return { ...input, items: items.map((item: unknown) => (typeof item === 'string' ? { name: item } : item)) };
}

function cachedAnswer(
  texts: CacheDirectoryTexts,
  input: CacheDirectoryInput,
  { listed, kept }: { readonly listed: Listed; readonly kept: readonly ListedItem[] },
): ToolSuccess<CacheDirectoryDetails> {
  const message = `Cached directory: ${quotePath(input.path)} (${kept.length} items)`;
  const isKept = new Set(kept.map(({ name }) => name));
  const found = differencesOf(input, listed);
  const all = { ...found, missing: found.missing.filter((name) => isKept.has(name)) };
  const kinds = (['unknown', 'missing', 'otherKind'] as const).filter((kind) => all[kind].length > 0);
  const lines = kinds.map((kind) => {
    const shown = all[kind].slice(0, MAX_SHOWN).map((name) => quotePath(name));
    const more = all[kind].length - shown.length;
    return texts[kind]([...shown, ...(more > 0 ? [texts.more(more)] : [])].join(', '));
  });
  const left = listed.entries.length - kept.length;
  const text = [
    message,
    ...(lines.length > 0 ? [texts.checked, ...lines] : []),
    ...(left > 0 ? [texts.secrets(left)] : []),
  ];
  const differences = Object.fromEntries(kinds.map((kind) => [kind, all[kind].slice(0, MAX_NAMES)]));
  return succeed(text.join('\n'), { message, cached: true, ...(kinds.length > 0 && { differences }) });
}

/** Keeps a listing. Returns its items, or why it is not kept. */
async function keep(
  path: string,
  { real, entries, items }: Listed,
  { scope, dynamic, language, toolNames: { list: listName = 'ls' } }: CacheDirectoryOptions,
): Promise<readonly ListedItem[] | string> {
  const texts = cacheDirectoryTexts[language];
  const shown = quotePath(path);
  if (entries.length > MAX_ITEMS) return texts.tooMany(shown, entries.length, listName);
  const listed = JSON.stringify(items);
  const roots = await scope.realRoots();
  if (isSecretDirectory({ path, real, roots })) return texts.secretDirectory(shown);
  const kept = dynamic.add({
    path,
    real,
    entries: items.map((item) => ({ item, below: String(item['name']) })),
    roots,
    isCurrent: async () => JSON.stringify(await itemsAt(scope, real, await list(scope, real))) === listed,
  });
  return kept ?? texts.tooLarge(shown, listName);
}

/**
 * Makes the tool `cache_directory`. It lists the directory again and keeps the real entries for the other agents, so that no model can
 * invent a listing, and reports what differs from the items.
 */
export function createCacheDirectoryTool(
  options: CacheDirectoryOptions,
): ToolDefinition<CacheDirectoryInput, CacheDirectoryDetails> {
  const { scope, language, toolNames, onCall } = options;
  const { list: listName = 'ls' } = toolNames;
  const texts = cacheDirectoryTexts[language];
  const shape = {
    path: z.string().describe(texts.path),
    items: z.array(z.looseObject({})).describe(texts.items(listName)),
  };
  return createTool<CacheDirectoryInput, CacheDirectoryDetails>({
    name: CACHE_DIRECTORY,
    description: texts.description(listName),
    inputSchema: inputSchema(shape, { adapt: withObjects }),
    annotations: readOnly('Cache a directory listing'),
    run: async (given, { signal }) => {
      onCall?.();
      const input = { path: unquotePath(given.path), items: given.items.map(unquoted) };
      const located = await locate(scope, input.path);
      const directory = await scope.resolve(located ?? input.path);
      requireDirectory(directory, {
        missing: 'Cache only directories that you listed.',
        other: 'Cache the directory that contains it.',
      });
      const { real } = directory;
      const entries = await explaining(quotePath(input.path), () => list(scope, real));
      signal?.throwIfAborted();
      const items = entries.length > MAX_ITEMS ? [] : await itemsAt(scope, real, entries);
      const listed = { real, entries, items };
      const kept = await keep(input.path, listed, options);
      if (typeof kept === 'string') return succeed(kept, { message: kept, cached: false });
      return cachedAnswer(texts, input, { listed, kept });
    },
  });
}
