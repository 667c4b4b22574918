import { Buffer } from 'node:buffer';
import { hostname, userInfo } from 'node:os';
import { KnowledgeError } from '../errors.ts';
import { Git, reasonOf, type GitOptions } from './git.ts';
import { remoteFailure } from './remote-failure.ts';
import { trackingRef } from './state.ts';

/** How git runs, in whatever directory. */
export type CloneOptions = Omit<GitOptions, 'directory'>;

export interface RemoteHeads {
  /** The branch that the remote names as its own. */
  readonly defaultBranch: string | undefined;
  readonly commits: ReadonlyMap<string, string>;
}

/** The branches on which members offer changes when the team's branch is protected. */
export const REVIEW_PREFIX = 'knowledge/';

/** `moved`: the branch has other commits now. Otherwise the remote's reason. */
type PushResult = 'pushed' | 'moved' | { readonly refused: string };

/** A rejection that a concurrent push causes. */
const RACE = /cannot lock ref|failed to update ref|incorrect old value|reference already exists|is at .* but expected/u;

export function accountName(): string {
  try {
    return userInfo().username || 'cairn';
  } catch {
    // A container may run with a user that the system does not know.
    return 'cairn';
  }
}

export interface TreeFile {
  readonly path: string;
  /** `100644`, `100755`; `120000` for a symbolic link, `160000` for a submodule. */
  readonly mode: string;
  readonly oid: string;
  readonly bytes: number;
}

/** The files of a tree by their paths. */
export type Tree = ReadonlyMap<string, TreeFile>;

/** A change of a commit's tree: the new content, or its removal. */
export interface TreeChange {
  readonly path: string;
  readonly text: string | null;
}

/** Files whose bytes are in memory at once. */
const MAX_BATCH_BYTES = 32 * 1024 * 1024;

/** The reference of a commit that is being made and pushed. */
const PUSHING_REF = 'refs/cairn/pushing';

/** The bare clone of the team store, and what it asks of the remote. Nothing is checked out. */
export class Clone extends Git {
  /** A synchronization reads each commit once. */
  readonly #trees = new Map<string, Tree>();

  async origin(): Promise<string | undefined> {
    return (await this.read(['config', '--get', 'remote.origin.url'], { accepts: [0, 1] })) || undefined;
  }

  async setOrigin(remote: string): Promise<void> {
    await this.run(['config', 'remote.origin.url', remote]);
    // What a person set in a clone of his own stays.
    const { status } = await this.run(['config', '--get-all', 'remote.origin.fetch'], { accepts: [0, 1] });
    if (status !== 0) await this.run(['config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*']);
  }

  /** Asks the remote for its branches. @throws {KnowledgeError} `REMOTE_FAILED`. */
  async readRemote(branch?: string): Promise<RemoteHeads> {
    const patterns = branch === undefined ? ['HEAD'] : [`refs/heads/${branch}`, `refs/heads/${REVIEW_PREFIX}*`];
    const args = ['ls-remote', '--quiet', '--symref', 'origin', ...patterns];
    const { stdout } = await this.run(args, { isRemote: true });
    const commits = new Map<string, string>();
    let defaultBranch: string | undefined;
    for (const line of stdout.toString().split('\n')) {
      const [value = '', name = ''] = line.split('\t');
      if (value.startsWith('ref: refs/heads/')) defaultBranch = value.slice('ref: refs/heads/'.length);
      else if (name.startsWith('refs/heads/')) commits.set(name.slice('refs/heads/'.length), value);
    }
    return { defaultBranch, commits };
  }

  /** Returns the commit that a name stands for. */
  async commitOf(name: string): Promise<string | undefined> {
    const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`];
    return (await this.read(args, { accepts: [0, 1, 128] })) || undefined;
  }

  /** Returns the commit of the team's branch as it was fetched last. */
  fetchedCommit(branch: string): Promise<string | undefined> {
    return this.commitOf(trackingRef(branch));
  }

  /** Fetches a branch when the remote has another commit than the clone. @throws {KnowledgeError} `REMOTE_FAILED`. */
  async fetchBranch(branch: string, commit: string): Promise<string> {
    if ((await this.fetchedCommit(branch)) === commit) return commit;
    const refspec = `+refs/heads/${branch}:${trackingRef(branch)}`;
    await this.run(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', 'origin', refspec], { isRemote: true });
    return (await this.fetchedCommit(branch)) ?? commit;
  }

  /** Returns whether `ancestor` is `commit` or in its history. */
  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    if (ancestor === commit) return true;
    const { status } = await this.run(['merge-base', '--is-ancestor', ancestor, commit], { accepts: [0, 1, 128] });
    return status === 0;
  }

  /**
   * Pushes a commit to a branch, only as a continuation of it, or in place of `replaces`, the commit that it must have. An empty
   * `replaces`: the branch must not exist. @throws {KnowledgeError} `REMOTE_FAILED`.
   */
  async push(commit: string, branch: string, replaces?: string): Promise<PushResult> {
    const lease = replaces === undefined ? [] : [`--force-with-lease=refs/heads/${branch}:${replaces}`];
    const args = ['push', '--porcelain', '--no-verify', '--recurse-submodules=no', ...lease, 'origin'];
    const output = await this.run([...args, `${commit}:refs/heads/${branch}`], { accepts: [0, 1], isRemote: true });
    if (output.status === 0) return 'pushed';
    const lines = output.stdout.toString().split('\n');
    const refusal = lines.find((line) => line.startsWith('!'));
    if (refusal === undefined) throw remoteFailure(output.stderr, reasonOf(output));
    const summary = refusal.split('\t')[2] ?? '';
    // A branch `knowledge` leaves no place for `knowledge/ann`, however often the push is repeated.
    const hasPlace = !/' exists; cannot create '/u.test(output.stderr);
    if (hasPlace && (!summary.startsWith('[remote rejected]') || RACE.test(summary))) return 'moved';
    return { refused: `${summary.replace(/^\[remote rejected\]\s*/u, '')} ${reasonOf(output)}` };
  }

  /** Returns the author of commits: as git is configured, otherwise the user of the system. */
  async author(): Promise<{ readonly name: string; readonly email: string }> {
    const configured = async (key: string): Promise<string> =>
      (await this.read(['config', '--get', key], { accepts: [0, 1] })).replaceAll(/[<>\p{Cc}]/gu, '').trim();
    const account = accountName();
    const name = (await configured('user.name')) || account;
    return { name, email: (await configured('user.email')) || `${account}@${hostname()}` };
  }

  /** Reads the paths of a commit; `undefined` is a commit without files. */
  async tree(commit: string | undefined): Promise<Tree> {
    if (commit === undefined) return new Map();
    const known = this.#trees.get(commit);
    if (known !== undefined) return known;
    const { stdout } = await this.run(['ls-tree', '-r', '-z', '-l', '--full-tree', commit]);
    const tree = new Map<string, TreeFile>();
    for (const line of stdout.toString().split('\0')) {
      const tab = line.indexOf('\t');
      if (tab === -1) continue;
      const [mode = '', , oid = '', bytes = ''] = line.slice(0, tab).split(/ +/u);
      const path = line.slice(tab + 1);
      tree.set(path, { path, mode, oid, bytes: bytes === '-' ? 0 : Number(bytes) });
    }
    this.#trees.set(commit, tree);
    return tree;
  }

  /** Reads the contents of files by their object ids, and calls `use` once with each. */
  async readBlobs(files: Iterable<TreeFile>, use: (oid: string, content: Buffer) => void): Promise<void> {
    const sizes = new Map(Array.from(files, ({ oid, bytes }) => [oid, bytes]));
    let batch: string[] = [];
    let bytes = 0;
    let left = sizes.size;
    for (const [oid, size] of sizes) {
      batch.push(oid);
      bytes += size;
      left -= 1;
      if (bytes < MAX_BATCH_BYTES && left > 0) continue;
      await this.#readBatch(batch, use);
      batch = [];
      bytes = 0;
    }
  }

  /** Returns the text of a file by its object id; `undefined` when the clone does not have it. */
  async textOf(oid: string): Promise<string | undefined> {
    const { status, stdout } = await this.run(['cat-file', 'blob', oid], { accepts: [0, 128] });
    return status === 0 ? stdout.toString() : undefined;
  }

  async #readBatch(batch: readonly string[], use: (oid: string, content: Buffer) => void): Promise<void> {
    const { stdout } = await this.run(['cat-file', '--batch'], { input: `${batch.join('\n')}\n` });
    let at = 0;
    for (const oid of batch) {
      const end = stdout.indexOf(10, at);
      const [, type, size] = stdout.toString('latin1', at, end).split(' ');
      if (type !== 'blob') {
        const hint = 'The clone is damaged: delete its directory, then repeat the command; it is made again.';
        throw new KnowledgeError('GIT_FAILED', [`git cannot read the object ${oid}`, hint]);
      }
      const start = end + 1;
      use(oid, stdout.subarray(start, start + Number(size)));
      at = start + Number(size) + 1;
    }
  }

  /** Writes the changes of a tree as a commit, in one process. Without a parent it is the first one. @returns its id. */
  async makeCommit(
    changes: readonly TreeChange[],
    facts: { readonly parent: string | undefined; readonly message: string; readonly timeMs: number },
  ): Promise<string> {
    const { parent, message, timeMs } = facts;
    const { name, email } = await this.author();
    const removed = changes.filter(({ text }) => text === null).map(({ path }) => `D ${path}\n`);
    const written = changes.flatMap(({ path, text }) =>
      text === null ? [] : `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    );
    const parts = [
      // Without it, the commit would be added to the last one under this reference.
      `reset ${PUSHING_REF}\ncommit ${PUSHING_REF}\nmark :1\n`,
      `committer ${name} <${email}> ${Math.floor(timeMs / 1000)} +0000\n`,
      `data ${Buffer.byteLength(message)}\n${message}`,
      parent === undefined ? '\n' : `\nfrom ${parent}\n`,
      ...removed,
      ...written,
      'get-mark :1\ndone\n',
    ];
    const input = Buffer.concat(parts.map((part) => Buffer.from(part)));
    return this.read(['fast-import', '--quiet', '--force', '--done', '--date-format=raw'], { input });
  }
}
