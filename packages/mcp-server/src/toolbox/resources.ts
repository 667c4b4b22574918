import { ToolError, type Resource, type ResourceProvider, type ResourceTemplate } from '@cairn/tool';
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

/** Where a list continues: the index of the provider, and the provider's own cursor. */
type Position = readonly [index: number, cursor?: string];

function cursorOf(...position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

function positionOf(cursor: string | undefined, providers: number): Position {
  if (cursor === undefined) return [0];
  try {
    const [index, inner] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const isIndex = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < providers;
    if (isIndex && inner === undefined) return [index];
    if (isIndex && typeof inner === 'string') return [index, inner];
  } catch {
    // Not JSON: rejected below.
  }
  throw invalidCursor(cursor);
}

function invalidCursor(cursor: string): ProtocolError {
  const message = `invalid cursor ${escapeControls(JSON.stringify(cursor))}; list again without a cursor`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { cursor });
}

/** Asks a provider. An expected failure becomes an error of the protocol; any other error is thrown unchanged. */
async function explained<Answer>(uri: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error;
    if (error.code === 'NOT_FOUND') throw new ResourceNotFoundError(uri, error.message);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { uri, reason: error.code });
  }
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

/**
 * The resources of several providers, in MCP's terms: lists them in the order of `listOrder`, and asks each in turn for a URI or a
 * completion. A page has the resources of several providers until one of them has more pages, so that many clients, which read only
 * the first page, get the resources of every small provider.
 */
export class Resources {
  readonly templates: ResourceTemplate[];
  /** Whether a provider completes arguments of templates. */
  readonly completes: boolean;
  readonly #providers: readonly ResourceProvider[];

  constructor(providers: readonly ResourceProvider[]) {
    this.templates = providers.flatMap(({ templates = [] }) => templates);
    this.completes = providers.some((provider) => provider.complete !== undefined);
    this.#providers = providers.toSorted((left, right) => (left.listOrder ?? 0) - (right.listOrder ?? 0));
  }

  async list(given: string | undefined, signal: AbortSignal): Promise<ListResourcesResult> {
    const [first, cursor] = positionOf(given, this.#providers.length);
    const listed: Resource[] = [];
    for (const [index, provider] of this.#providers.entries()) {
      if (index < first) continue;
      try {
        const { resources, nextCursor } = await provider.list(index === first ? cursor : undefined, { signal });
        listed.push(...resources);
        if (nextCursor !== undefined) return { resources: listed, nextCursor: cursorOf(index, nextCursor) };
      } catch (error) {
        // The next page reports it.
        if (index > first) return { resources: listed, nextCursor: cursorOf(index) };
        const isRefusedCursor = given !== undefined && ToolError.isInstance(error) && error.code === 'INVALID_INPUT';
        throw isRefusedCursor ? invalidCursor(given) : error;
      }
    }
    return { resources: listed };
  }

  async read(uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
    for (const provider of this.#providers) {
      const contents = await explained(uri, () => provider.read(uri, { signal }));
      if (contents !== undefined) return { contents: [...contents] };
    }
    throw unknownUri(uri, this.templates);
  }

  async complete({ ref, argument }: CompleteRequestParams, signal: AbortSignal): Promise<CompleteResult> {
    const { name, value } = argument;
    if (ref.type !== 'ref/resource') throw unknownArgument(name, this.templates);
    const request = { uriTemplate: ref.uri, argument: name, value };
    for (const provider of this.#providers) {
      const completion = await explained(ref.uri, async () => provider.complete?.(request, { signal }));
      if (completion === undefined) continue;
      const { total, guess } = completion;
      const values = completion.values.slice(0, MAX_COMPLETIONS);
      const answer = { completion: { values, total, hasMore: total > values.length } };
      return guess === undefined ? answer : { ...answer, _meta: { [GUESS_KEY]: guess } };
    }
    throw unknownArgument(name, this.templates);
  }
}
