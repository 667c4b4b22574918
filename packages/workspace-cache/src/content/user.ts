/** Returns the user and group by whose permissions this process reads now. */
export function userOf(): string {
  return `${process.geteuid?.()}:${process.getegid?.()}`;
}
