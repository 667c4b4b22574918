import type { FileStat } from '@cairn/coding-agent';
import { statfs } from 'node:fs/promises';

/**
 * How long a write may still copy bytes after the system recorded its time: a writer that other processes keep from the processor.
 * A file that changed more recently is not kept.
 */
export const WRITE_MS = 200;

const NS_PER_MS = 1_000_000n;
const NS_PER_SECOND = 1_000_000_000n;

/** The longest time between two ticks of a file system's clock, doubled. The scans of the natives use the same. */
const TICK_NS = 20n * NS_PER_MS;
/** The same for file systems that record whole seconds. */
const COARSE_TICK_NS = 2n * NS_PER_SECOND;

/**
 * Local file systems that update the change time at every change, by their magic number: ext2 to ext4, btrfs, XFS, tmpfs, ramfs,
 * overlayfs, F2FS, ZFS, bcachefs, squashfs, EROFS. The scans of the natives use the same.
 */
const reliableSystems: ReadonlySet<number> = new Set([
  0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x858458f6, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e, 0x73717368,
  0xe0f5e1e2,
]);

const MAX_DEVICES = 1000;

/** Returns whether two states are of the same content of the same file or directory. */
export function isSameStamp(stamp: FileStat, other: FileStat): boolean {
  return (
    stamp.ctimeNs === other.ctimeNs &&
    stamp.mtimeNs === other.mtimeNs &&
    stamp.size === other.size &&
    stamp.identity === other.identity &&
    stamp.kind === other.kind
  );
}

/** Returns whether a time of {@link Stamps.settledFrom} is before another: milliseconds since the epoch, by the system's clock. */
export function isBefore(settledNs: bigint, atMs: number): boolean {
  return settledNs < BigInt(Math.floor(atMs)) * NS_PER_MS;
}

/** Decides whether the times of a file show every change of it. Asks the system once for each device. */
export class Stamps {
  readonly #devices = new Map<string, boolean>();

  /**
   * Returns the time from which every change gives another stamp, in nanoseconds since the epoch; `undefined` where the file system
   * has no exact times.
   *
   * @param marginMs how long a change may take after the system recorded its time.
   */
  async settledFrom(path: string, stat: FileStat, marginMs: number = 0): Promise<bigint | undefined> {
    const { mtimeNs, ctimeNs, identity } = stat;
    if (mtimeNs === undefined || ctimeNs === undefined || !(await this.#isReliable(path, identity))) return undefined;
    const isCoarse = ctimeNs % NS_PER_SECOND === 0n && mtimeNs % NS_PER_SECOND === 0n;
    return ctimeNs + (isCoarse ? COARSE_TICK_NS : TICK_NS) + BigInt(marginMs) * NS_PER_MS;
  }

  /** Returns whether every change after a time gives another stamp. */
  async isSettled(path: string, stat: FileStat, atMs: number, marginMs: number = 0): Promise<boolean> {
    const settledNs = await this.settledFrom(path, stat, marginMs);
    return settledNs !== undefined && isBefore(settledNs, atMs);
  }

  /** Returns false on every system but Linux: no other has been tested. */
  async #isReliable(path: string, identity: string): Promise<boolean> {
    if (process.platform !== 'linux') return false;
    const device = identity.slice(0, identity.indexOf(':'));
    const known = this.#devices.get(device);
    if (known !== undefined) return known;
    const system = await statfs(path).catch(() => undefined);
    // The path is gone, or is not on this machine.
    if (system === undefined) return false;
    // Some architectures have a signed number.
    const isReliable = reliableSystems.has(system.type >>> 0);
    if (this.#devices.size >= MAX_DEVICES) this.#devices.clear();
    this.#devices.set(device, isReliable);
    return isReliable;
  }
}
