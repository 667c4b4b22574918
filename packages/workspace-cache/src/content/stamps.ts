import type { FileStat } from '@cairn/coding-agent';
import { statfs } from 'node:fs/promises';

/** The state of a file or directory: equal only while its content is the same. */
export type Stamp = FileStat & { readonly mtimeNs: bigint; readonly ctimeNs: bigint };

/** Nanoseconds since the epoch. */
type Times = Pick<Stamp, 'mtimeNs' | 'ctimeNs'>;

const NS_PER_MS = 1_000_000n;
const NS_PER_SECOND = 1_000_000_000n;

/** The longest time between two ticks of a file system's clock, doubled. The scans of the natives use the same. */
const TICK_NS = 20n * NS_PER_MS;
/** The same for file systems that record whole seconds. */
const COARSE_TICK_NS = 2n * NS_PER_SECOND;

/** Returns whether a state has exact times. */
export function isStamp(stat: FileStat): stat is Stamp {
  return stat.mtimeNs !== undefined && stat.ctimeNs !== undefined;
}

/** Returns whether two states are of the same content of the same file. */
export function isSameStamp(stamp: Stamp, other: FileStat): boolean {
  return (
    stamp.ctimeNs === other.ctimeNs &&
    stamp.mtimeNs === other.mtimeNs &&
    stamp.size === other.size &&
    stamp.identity === other.identity &&
    stamp.kind === other.kind
  );
}

/**
 * Returns the time from which on every change gives another stamp, in nanoseconds since the epoch.
 *
 * @param marginMs how long a change may take after the system recorded its time.
 */
export function settledFrom({ mtimeNs, ctimeNs }: Times, marginMs: number = 0): bigint {
  const isCoarse = ctimeNs % NS_PER_SECOND === 0n && mtimeNs % NS_PER_SECOND === 0n;
  return ctimeNs + (isCoarse ? COARSE_TICK_NS : TICK_NS) + BigInt(marginMs) * NS_PER_MS;
}

/** Returns whether a time of {@link settledFrom} is before another: milliseconds since the epoch, by the clock of the system. */
export function isBefore(settledNs: bigint, atMs: number): boolean {
  return settledNs < BigInt(Math.floor(atMs)) * NS_PER_MS;
}

/**
 * Local file systems that update the change time at every change, by their magic number: ext2 to ext4, btrfs, XFS, tmpfs, ramfs,
 * overlayfs, F2FS, ZFS, bcachefs, squashfs, EROFS. The scans of the natives use the same.
 */
const reliableSystems: ReadonlySet<number> = new Set([
  0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x858458f6, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e, 0x73717368,
  0xe0f5e1e2,
]);

const MAX_DEVICES = 1000;

/** Tells for paths whether the stamps of their file system can be trusted. */
export type TimeCheck = (path: string, stamp: Pick<Stamp, 'identity'>) => Promise<boolean>;

/** Makes a check that asks the system once for each device. False on every system but Linux: no other has been tested. */
export function createTimeCheck(): TimeCheck {
  const devices = new Map<string, boolean>();
  return async (path, { identity }) => {
    if (process.platform !== 'linux') return false;
    const device = identity.slice(0, identity.indexOf(':'));
    const known = devices.get(device);
    if (known !== undefined) return known;
    let isReliable = false;
    try {
      // Some architectures have a signed number.
      isReliable = reliableSystems.has((await statfs(path)).type >>> 0);
    } catch {
      // The path is gone, or is none of this machine.
      return false;
    }
    if (devices.size >= MAX_DEVICES) devices.clear();
    devices.set(device, isReliable);
    return isReliable;
  };
}
