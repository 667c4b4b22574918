/** What the user decided about servers of embeddings: a small file in the user's configuration. */
import { isObject, writeAtomically } from '@cairn/tool/kernel';
import { userDirectories, type DirectoryContext } from '@cairn/tool/paths';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConsentState } from '../vectors/embeddings.ts';

/** The file with the decisions of the user: `embeddings.json`. */
export class Consent {
  readonly path: string;

  constructor(context: DirectoryContext) {
    this.path = join(userDirectories(context).config, 'embeddings.json');
  }

  /** Returns whether texts may be sent to a server. A file that is not readable allows nothing. */
  async stateOf(server: string): Promise<ConsentState> {
    const state = (await this.#read())[server];
    return state === 'allowed' || state === 'declined' ? state : 'not-asked';
  }

  /** @throws the error of the system when the file cannot be written. */
  async record(server: string, state: Exclude<ConsentState, 'not-asked'>): Promise<void> {
    const servers = { ...(await this.#read()), [server]: state };
    await writeAtomically(this.path, `${JSON.stringify({ servers }, undefined, 2)}\n`);
  }

  async #read(): Promise<Readonly<Record<string, unknown>>> {
    try {
      const value: unknown = JSON.parse(await readFile(this.path, 'utf8'));
      const servers: unknown = isObject(value) ? value['servers'] : undefined;
      return isObject(servers) ? servers : {};
    } catch {
      return {};
    }
  }
}
