/** A resource of MCP: content that a client can read by its URI. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** One page of a list of resources. */
export interface ResourcePage {
  readonly resources: readonly Resource[];
  /** The cursor of the next page, opaque to clients. Absent on the last page. */
  readonly nextCursor?: string;
}

/** A family of resources whose URIs follow one template (RFC 6570). */
export interface ResourceTemplate extends Pick<Resource, 'name' | 'title' | 'description'> {
  readonly uriTemplate: string;
}

/** The content of a resource; `blob` is base64. */
export type ResourceContent = { readonly uri: string; readonly mimeType?: string } & (
  | { readonly text: string }
  | { readonly blob: string }
);

/** Values for an argument of a template, best first. An MCP server passes on the first 100. */
export interface ResourceCompletion {
  readonly values: readonly string[];
  /** The number of matching values, including those that `values` omits. */
  readonly total: number;
  /**
   * How the best value matches if no value contains the words as typed: a name such as `'typo'`, `'initials'` or `'scattered'`. An
   * MCP server passes it on as `cairn/guess` in the `_meta` of its answer.
   */
  readonly guess?: string;
}

interface ResourceCallOptions {
  readonly signal: AbortSignal;
}

/** A change of resources that a provider announces. */
export type ResourceChange =
  | {
      /** The resource has another content, exists now, or no longer exists. */
      readonly kind: 'resource-update';
      readonly uri: string;
      /**
       * Whether the same holds for every resource with a URI that continues this one after a `/`.
       * @default false
       */
      readonly below?: boolean;
    }
  /** Resources came or went. */
  | { readonly kind: 'list-change' };

/** The changes that a provider announces. */
export interface ResourceChanges {
  /** Returns whether changes of the resource with this URI are announced, under exactly this URI. */
  announces(uri: string): boolean;
  /** Calls `listener` after each change. Returns a function that ends the calls; a second call of it does nothing. */
  onChange(listener: (change: ResourceChange) => void): () => void;
}

/** The resources of a tool set. */
export interface ResourceProvider {
  readonly templates?: readonly ResourceTemplate[];
  /** Where a server lists these resources: those of the provider with the lowest number come first. @default 0 */
  readonly listOrder?: number | undefined;
  /**
   * Returns the page after a cursor; the first page for `undefined`.
   *
   * @throws {ToolError} `INVALID_INPUT` for a cursor that this provider did not return.
   */
  list(cursor: string | undefined, options: ResourceCallOptions): Promise<ResourcePage>;
  /**
   * Reads the resource of a URI. Returns `undefined` for a URI that belongs to another provider.
   *
   * @throws {ToolError} `NOT_FOUND`, or the reason why the resource cannot be read.
   */
  read(uri: string, options: ResourceCallOptions): Promise<readonly ResourceContent[] | undefined>;
  /** Completes an argument of a template. Returns `undefined` for a template or an argument of another provider. */
  complete?(
    request: { readonly uriTemplate: string; readonly argument: string; readonly value: string },
    options: ResourceCallOptions,
  ): Promise<ResourceCompletion | undefined>;
  /** Absent when the provider announces no changes. */
  readonly changes?: ResourceChanges | undefined;
}
