import { ToolError } from '@cairn/tool';
import type { ResourcePage, ResourceProvider, ResourceTemplate } from '@cairn/tool';
import { escapeControls } from '@cairn/tool/paths';
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import type {
  CompleteRequestParams,
  CompleteResult,
  ListResourcesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';

/** The protocol allows no more values in one completion. */
const MAX_COMPLETIONS = 100;

/** The key in the `_meta` of a completion whose values are all guesses. */
const GUESS_KEY = 'cairn/guess';

/** The resources of all providers, in MCP's terms. */
export interface Resources {
  readonly templates: ResourceTemplate[];
  /** Whether a provider completes arguments of templates. */
  readonly completes: boolean;
  list(cursor: string | undefined, signal: AbortSignal): Promise<ListResourcesResult>;
  read(uri: string, signal: AbortSignal): Promise<ReadResourceResult>;
  complete(params: CompleteRequestParams, signal: AbortSignal): Promise<CompleteResult>;
}

/** Where a list continues: the index of the provider, and the provider's own cursor. */
interface Position {
  readonly index: number;
  readonly cursor?: string;
}

function cursorOf({ index, cursor }: Position): string {
  return Buffer.from(JSON.stringify(cursor === undefined ? [index] : [index, cursor])).toString('base64url');
}

function positionOf(cursor: string | undefined, providers: number): Position {
  if (cursor === undefined) return { index: 0 };
  try {
    const [index, inner] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const isIndex = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < providers;
    if (isIndex && inner === undefined) return { index };
    if (isIndex && typeof inner === 'string') return { index, cursor: inner };
  } catch {
    // Not JSON: rejected below.
  }
  throw invalidCursor(cursor);
}

function invalidCursor(cursor: string): ProtocolError {
  const message = `invalid cursor ${escapeControls(JSON.stringify(cursor))}; list again without a cursor`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { cursor });
}

/** Converts an expected failure to an error of the protocol. Any other error is returned unchanged. */
function toProtocolError(error: unknown, uri: string): unknown {
  if (!ToolError.isInstance(error)) return error;
  if (error.code === 'NOT_FOUND') return new ResourceNotFoundError(uri, error.message);
  return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { uri, reason: error.code });
}

function listForms(templates: readonly ResourceTemplate[]): string {
  return templates.map(({ uriTemplate }) => uriTemplate).join(', ');
}

function unknownUri(uri: string, templates: readonly ResourceTemplate[]): ProtocolError {
  const forms = listForms(templates);
  const hint = forms === '' ? 'list the resources to see their URIs' : `use a listed URI, or one of the form ${forms}`;
  const message = `unknown resource ${escapeControls(JSON.stringify(uri))}; ${hint}`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri, reason: 'INVALID_INPUT' });
}

function unknownArgument(name: string, templates: readonly ResourceTemplate[]): ProtocolError {
  const forms = listForms(templates);
  const hint = forms === '' ? 'no template has arguments' : `use an argument of ${forms}`;
  const message = `cannot complete argument ${escapeControls(JSON.stringify(name))}; ${hint}`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

async function listOf(
  provider: ResourceProvider | undefined,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ResourcePage> {
  return provider === undefined ? { resources: [] } : provider.list(cursor, { signal });
}

async function listPage(
  providers: readonly ResourceProvider[],
  given: string | undefined,
  signal: AbortSignal,
): Promise<ListResourcesResult> {
  const { index, cursor } = positionOf(given, providers.length);
  const page = await listOf(providers[index], cursor, signal).catch((error: unknown) => {
    const isRefusedCursor = given !== undefined && ToolError.isInstance(error) && error.code === 'INVALID_INPUT';
    throw isRefusedCursor ? invalidCursor(given) : error;
  });
  const resources = [...page.resources];
  if (page.nextCursor !== undefined) return { resources, nextCursor: cursorOf({ index, cursor: page.nextCursor }) };
  return index + 1 < providers.length ? { resources, nextCursor: cursorOf({ index: index + 1 }) } : { resources };
}

/** Joins the resources of several providers: lists in sequence, and asks each in turn for a URI or a completion. */
export function joinResources(providers: readonly ResourceProvider[]): Resources {
  const templates = providers.flatMap((provider) => [...(provider.templates ?? [])]);
  return {
    templates,
    completes: providers.some((provider) => provider.complete !== undefined),
    list: (cursor, signal) => listPage(providers, cursor, signal),
    read: async (uri, signal) => {
      try {
        for (const provider of providers) {
          const contents = await provider.read(uri, { signal });
          if (contents !== undefined) return { contents: [...contents] };
        }
      } catch (error) {
        throw toProtocolError(error, uri);
      }
      throw unknownUri(uri, templates);
    },
    complete: async ({ ref, argument: { name, value } }, signal) => {
      if (ref.type !== 'ref/resource') throw unknownArgument(name, templates);
      const request = { uriTemplate: ref.uri, argument: name, value };
      try {
        for (const provider of providers) {
          const completion = await provider.complete?.(request, { signal });
          if (completion === undefined) continue;
          const { total, guess } = completion;
          const values = completion.values.slice(0, MAX_COMPLETIONS);
          const answer = { completion: { values, total, hasMore: total > values.length } };
          return guess === undefined ? answer : { ...answer, _meta: { [GUESS_KEY]: guess } };
        }
      } catch (error) {
        throw toProtocolError(error, ref.uri);
      }
      throw unknownArgument(name, templates);
    },
  };
}
