import type { FileStat, OpenFile } from '@cairn/coding-agent';

async function refuse(): Promise<never> {
  throw Object.assign(new Error('EBADF: the file is open for reading only'), { code: 'EBADF' });
}

/** Returns a file that is open for reading, with its content in memory. */
export function memoryFile(bytes: Buffer, stat: FileStat): OpenFile {
  return {
    stat: async () => stat,
    read: async (buffer, position) => bytes.copy(buffer, 0, Math.min(position, bytes.length)),
    write: refuse,
    truncate: refuse,
    setMode: refuse,
    setModified: refuse,
    sync: async () => undefined,
    close: async () => undefined,
  };
}
