import { randomBytes } from 'node:crypto';

/** Returns a unique part of a name: 60 random bits. */
export function randomName(): string {
  return BigInt(`0x${randomBytes(8).toString('hex')}`)
    .toString(36)
    .padStart(13, '0')
    .slice(-12);
}
