import type { SessionKey, ToolSession } from '@cairn/tool';
import type { RecallHit, RecallKind, RecallPart } from './recall-part.ts';

/** Reads what has an id; `undefined` when nothing has it. */
export type RecallReader = (
  id: string,
  kind: RecallKind | undefined,
  signal: AbortSignal | undefined,
) => Promise<RecallHit | undefined>;

/** A fact as it was, and those that it had replaced. */
export interface ForgottenText {
  readonly id: string;
  readonly text: string;
  readonly earlier?: readonly string[] | undefined;
}

/** Returns the id of the asset that was made of a fact; `undefined` when there is none. */
type ShareReader = (fact: ForgottenText, signal: AbortSignal | undefined) => Promise<string | undefined>;

/**
 * What the tools of one session recall. The tool set of each package adds its parts: `recall` asks all of them, and a tool that
 * reads by an id, such as `get_asset`, reads what the others have. No tool set knows the others.
 */
export class SessionRecall {
  readonly #parts: RecallPart[] = [];
  #reader: RecallReader | undefined;
  #sharedAs: ShareReader | undefined;
  #hasGetAsset = false;

  get parts(): readonly RecallPart[] {
    return this.#parts;
  }

  /** Whether the session has `get_asset`, so that `recall` need not read by an id. */
  get hasGetAsset(): boolean {
    return this.#hasGetAsset;
  }

  /** Adds the parts of a tool set. */
  add(parts: readonly RecallPart[]): void {
    this.#parts.push(...parts);
  }

  /** Adds the reader of facts and messages. */
  readsBy(reader: RecallReader): void {
    this.#reader = reader;
  }

  /** Adds the reader of what facts are shared as. */
  sharesBy(reader: ShareReader): void {
    this.#sharedAs = reader;
  }

  /** Returns the id of the asset that was made of a fact. */
  sharedAs(fact: ForgottenText, signal?: AbortSignal): Promise<string | undefined> {
    return this.#sharedAs?.(fact, signal) ?? Promise.resolve(undefined);
  }

  offersGetAsset(): void {
    this.#hasGetAsset = true;
  }

  /** Reads a fact or a message by its id. */
  read(id: string, kind?: RecallKind, signal?: AbortSignal): Promise<RecallHit | undefined> {
    return this.#reader?.(id, kind, signal) ?? Promise.resolve(undefined);
  }
}

/** Not made by `createSessionKey`: its module loads schemas, which commands do not need. */
const recallKey: SessionKey<SessionRecall> = { description: 'cairn recall' };

/** Returns what all tool sets of a session share to recall. */
export function sessionRecall(session: ToolSession): SessionRecall {
  return session.share(recallKey, () => new SessionRecall());
}
