/** Bytes as people write them. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1024;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** A number with its noun. */
export function count(number: number, noun: string, plural: string = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
