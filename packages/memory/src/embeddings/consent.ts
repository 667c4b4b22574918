/** Which servers the user allowed to send texts to: a small file in the user's configuration. */
import { isObject, writeAtomically } from '@cairn/tool/kernel';
import { userDirectories, type DirectoryContext } from '@cairn/tool/paths';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file with the servers that the user allowed. */
export class Consent {
  readonly path: string;

  constructor(context: DirectoryContext) {
    this.path = join(userDirectories(context).config, 'embeddings.json');
  }

  /** Whether texts may be sent to a server. A file that is not readable allows nothing. */
  async isAllowed(server: string): Promise<boolean> {
    return (await this.#servers().catch((): string[] => [])).includes(server);
  }

  /** @throws the error of the system when the file cannot be written. */
  async allow(server: string): Promise<void> {
    const others = await this.#servers().catch((): string[] => []);
    await this.#write([...others.filter((one) => one !== server), server]);
  }

  /** @throws the error of the system when the file cannot be written. */
  async withdraw(server: string): Promise<void> {
    const servers = await this.#servers().catch((): string[] => []);
    if (servers.includes(server)) await this.#write(servers.filter((one) => one !== server));
  }

  async #servers(): Promise<string[]> {
    const value: unknown = JSON.parse(await readFile(this.path, 'utf8'));
    const servers: unknown = isObject(value) ? value['allowedServers'] : undefined;
    return Array.isArray(servers) ? servers.filter((one) => typeof one === 'string') : [];
  }

  #write(allowedServers: readonly string[]): Promise<void> {
    return writeAtomically(this.path, `${JSON.stringify({ allowedServers }, undefined, 2)}\n`);
  }
}
