/** What the user decided about servers of embeddings: a small file in the user's configuration. */
import { isObject, writeAtomically } from '@cairn/tool/kernel';
import { userDirectories, type DirectoryContext } from '@cairn/tool/paths';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConsentState } from '../vectors/embeddings.ts';

type Decision = Exclude<ConsentState, 'not-asked'>;

/** The decisions by server. Of sessions only a server that is allowed has one. */
interface Decisions {
  readonly servers: Readonly<Record<string, unknown>>;
  readonly sessions: Readonly<Record<string, unknown>>;
}

/** The file with the decisions of the user: `embeddings.json`. Servers are named as `EmbeddingSettings.server` names them. */
export class Consent {
  readonly path: string;

  constructor(context: DirectoryContext) {
    this.path = join(userDirectories(context).config, 'embeddings.json');
  }

  /** Returns whether facts, assets and questions may be sent to a server. A file that is not readable allows nothing. */
  async stateOf(server: string): Promise<ConsentState> {
    const state = (await this.#read()).servers[server];
    return state === 'allowed' || state === 'declined' ? state : 'not-asked';
  }

  /** Returns whether messages of sessions may be sent to a server too. */
  async allowsSessions(server: string): Promise<boolean> {
    const { servers, sessions } = await this.#read();
    return servers[server] === 'allowed' && sessions[server] === 'allowed';
  }

  /** Records a decision. One that declines a server declines its sessions. @throws the error of the system when it cannot be written. */
  async record(server: string, state: Decision): Promise<void> {
    const { servers, sessions } = await this.#read();
    const { [server]: own, ...others } = sessions;
    const isKept = state === 'allowed' && own !== undefined;
    await this.#write({ servers: { ...servers, [server]: state }, sessions: isKept ? sessions : others });
  }

  /** Allows a server, and to send it messages of sessions too. @throws the error of the system when it cannot be written. */
  async allowSessions(server: string): Promise<void> {
    const { servers, sessions } = await this.#read();
    const allowed = { [server]: 'allowed' };
    await this.#write({ servers: { ...servers, ...allowed }, sessions: { ...sessions, ...allowed } });
  }

  /** Declines every server that was allowed, and one that was perhaps never asked about. @returns those that were allowed. */
  async withdraw(server?: string): Promise<readonly string[]> {
    const { servers } = await this.#read();
    const allowed = Object.keys(servers).filter((one) => servers[one] === 'allowed');
    const declined = new Set([...allowed, ...(server === undefined ? [] : [server])]);
    if (declined.size === 0) return [];
    const decisions = Object.fromEntries(Array.from(declined, (one) => [one, 'declined']));
    await this.#write({ servers: { ...servers, ...decisions }, sessions: {} });
    return allowed;
  }

  async #write({ servers, sessions }: Decisions): Promise<void> {
    const decisions = { servers, ...(Object.keys(sessions).length > 0 && { sessions }) };
    await writeAtomically(this.path, `${JSON.stringify(decisions, undefined, 2)}\n`);
  }

  async #read(): Promise<Decisions> {
    try {
      const value: unknown = JSON.parse(await readFile(this.path, 'utf8'));
      const { servers, sessions } = isObject(value) ? value : {};
      return { servers: isObject(servers) ? servers : {}, sessions: isObject(sessions) ? sessions : {} };
    } catch {
      return { servers: {}, sessions: {} };
    }
  }
}
