/** What {@link TreeSummary} is made from. */
export interface TreeSummaryOptions {
  readonly path: string;
  readonly depth?: number | 'auto' | undefined;
  readonly maxEntries?: number | undefined;
  readonly hidden?: boolean | undefined;
  readonly gitignore?: boolean | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly secrets?: readonly string[] | undefined;
  readonly focus?: readonly string[] | undefined;
  readonly cache?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TreeEntry {
  readonly name: string;
  readonly nameBytes?: Uint8Array;
  readonly parent: number;
  readonly kind: 'file' | 'dir' | 'symlink';
  readonly children: number;
  readonly folded?: 'excluded' | 'repository' | 'unreadable';
  readonly target?: string;
  readonly targetBytes?: Uint8Array;
}

export interface TreeSummary {
  readonly root: string;
  readonly depth: number;
  readonly rootChildren: number;
  readonly entries: readonly TreeEntry[];
  readonly totalEntries: number;
  readonly excluded: number;
  readonly hiddenSecrets: number;
  readonly generation: number;
  readonly complete: boolean;
  readonly stopReason?: string;
  readonly unreadable?: number;
  readonly unreadablePaths?: readonly string[];
  readonly missingFocus?: readonly string[];
}
