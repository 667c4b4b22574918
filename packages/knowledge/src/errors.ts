import type { CallOptions } from '@cairn/memory';
import { ArgumentChecks, HintedError, isNamed } from '@cairn/tool/kernel';
import type { CairnErrorFacts, ErrorText, OptionNames } from '@cairn/tool/kernel';

/**
 * Why a call failed.
 *
 * - `INVALID_NAME`: a name or a product line has characters that it may not have.
 * - `INVALID_INPUT`, `INVALID_OPTION`: another argument is invalid.
 * - `INVALID_ASSET`: the Markdown of an asset is not readable: its front matter does not parse, a field is wrong, or it is binary.
 * - `TOO_LARGE`: an asset is larger than allowed.
 * - `SECRET`: the text has a secret.
 * - `ASSET_EXISTS`: another asset has this name in this product line, or exactly this text.
 * - `SIMILAR_ASSETS`: similar assets exist; say whether to update one of them or to add a new one.
 * - `UNKNOWN_ASSET`: no asset has this name.
 * - `AMBIGUOUS_ASSET`: assets of several product lines have this name.
 * - `ASSET_CHANGED`: the asset was changed since it was read.
 * - `STORE_FAILED`: the local store or a file of the knowledge directory cannot be read or written.
 * - `NO_TEAM`: no team store is set up.
 * - `GIT_FAILED`: git is missing, or a command of git failed.
 * - `REMOTE_FAILED`: the remote is gone or rejects.
 * - `SYNC_BUSY`: another process synchronizes.
 */
export type KnowledgeErrorCode =
  | 'AMBIGUOUS_ASSET'
  | 'ASSET_CHANGED'
  | 'ASSET_EXISTS'
  | 'GIT_FAILED'
  | 'INVALID_ASSET'
  | 'INVALID_INPUT'
  | 'INVALID_NAME'
  | 'INVALID_OPTION'
  | 'NO_TEAM'
  | 'REMOTE_FAILED'
  | 'SECRET'
  | 'SIMILAR_ASSETS'
  | 'STORE_FAILED'
  | 'SYNC_BUSY'
  | 'TOO_LARGE'
  | 'UNKNOWN_ASSET';

interface KnowledgeErrorFacts extends CairnErrorFacts {
  /** The line of the file or text, from 1. */
  readonly line?: number | undefined;
  /** The assets that the error is about, as `product_line/name`. */
  readonly assets?: readonly string[] | undefined;
}

/** An expected failure. Identify it with {@link KnowledgeError.isInstance}, which also accepts errors of another copy of the package. */
export class KnowledgeError extends HintedError<KnowledgeErrorCode> {
  override readonly name: string = 'KnowledgeError';
  readonly line: number | undefined;
  readonly assets: readonly string[] | undefined;

  constructor(code: KnowledgeErrorCode, text: ErrorText, { line, assets, ...facts }: KnowledgeErrorFacts = {}) {
    super(code, text, facts);
    this.line = line;
    this.assets = assets;
  }

  static override readonly isInstance: (error: unknown) => error is KnowledgeError = isNamed('KnowledgeError');
}

export interface ErrorPlace {
  /** The file, for errors. */
  readonly path?: string | undefined;
}

export const checkArguments: ArgumentChecks = new ArgumentChecks((...given) => new KnowledgeError(...given));

export const callOptions: OptionNames<CallOptions> = { signal: 'optional' };
