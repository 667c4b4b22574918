/** Writes a number of bytes for people: `1 byte`, `512 bytes`, `1.5 KB` (1 KB is 1,024 bytes). */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return count(bytes, 'byte');
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1024;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** Writes a number with its noun: `1 line`, `2 lines`. */
export function count(number: number, noun: string, plural: string = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
