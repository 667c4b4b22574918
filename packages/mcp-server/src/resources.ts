import { ToolError } from '@cairn/tool';
import type { ResourceProvider, ResourceTemplate } from '@cairn/tool';
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import type {
  CompleteRequestParams,
  CompleteResult,
  ListResourcesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';

/** The resources of all providers, as MCP has them. */
export interface Resources {
  readonly templates: ResourceTemplate[];
  list(cursor: string | undefined, signal: AbortSignal): Promise<ListResourcesResult>;
  read(uri: string, signal: AbortSignal): Promise<ReadResourceResult>;
  complete(params: CompleteRequestParams, signal: AbortSignal): Promise<CompleteResult>;
}

/** Where a list continues: at which provider, with which cursor of its own. */
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
    // Not JSON: refused below.
  }
  throw invalidCursor(cursor);
}

function invalidCursor(cursor: string): ProtocolError {
  const message = `The cursor ${JSON.stringify(cursor)} is invalid. List again without one.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { cursor });
}

function refusal(error: unknown, uri: string): unknown {
  if (!ToolError.isInstance(error)) return error;
  if (error.code === 'NOT_FOUND') return new ResourceNotFoundError(uri, error.message);
  return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { uri, reason: error.code });
}

function unknownUri(uri: string, templates: readonly ResourceTemplate[]): ProtocolError {
  const forms = templates.map(({ uriTemplate }) => uriTemplate).join(', ');
  const hint =
    forms === '' ? 'List the resources to see their URIs.' : `Use a listed URI, or one of the form ${forms}.`;
  const message = `Unknown resource ${JSON.stringify(uri)}. ${hint}`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri, reason: 'INVALID_INPUT' });
}

/** Joins the resources of several providers: lists them one after another, and asks each in turn for a URI. */
export function createResources(providers: readonly ResourceProvider[]): Resources {
  const templates = providers.flatMap((provider) => [...(provider.templates ?? [])]);
  return {
    templates,
    list: async (given, signal) => {
      const { index, cursor } = positionOf(given, Math.max(1, providers.length));
      const provider = providers[index];
      if (provider === undefined) return { resources: [] };
      try {
        const { resources, nextCursor } = await provider.list(cursor, { signal });
        const next =
          nextCursor === undefined
            ? index + 1 < providers.length && { nextCursor: cursorOf({ index: index + 1 }) }
            : { nextCursor: cursorOf({ index, cursor: nextCursor }) };
        return { resources: [...resources], ...next };
      } catch (error) {
        if (given !== undefined && ToolError.isInstance(error)) throw invalidCursor(given);
        throw error;
      }
    },
    read: async (uri, signal) => {
      try {
        for (const provider of providers) {
          const contents = await provider.read(uri, { signal });
          if (contents !== undefined) return { contents: [...contents] };
        }
      } catch (error) {
        throw refusal(error, uri);
      }
      throw unknownUri(uri, templates);
    },
    complete: async ({ ref, argument: { name, value } }, signal) => {
      const uriTemplate = ref.type === 'ref/resource' ? ref.uri : undefined;
      for (const provider of uriTemplate === undefined ? [] : providers) {
        const request = { uriTemplate: uriTemplate ?? '', argument: name, value };
        const completion = await provider.complete?.(request, { signal });
        if (completion === undefined) continue;
        const { values, total } = completion;
        return { completion: { values: [...values], total, hasMore: total > values.length } };
      }
      const forms = templates.map((template) => template.uriTemplate).join(', ') || 'no template';
      const message = `Cannot complete argument ${JSON.stringify(name)}. Arguments of ${forms} can be completed.`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    },
  };
}
