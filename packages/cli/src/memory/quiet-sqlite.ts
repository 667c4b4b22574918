import process from 'node:process';

/**
 * Loads `node:sqlite` without the warning that some Nodes print about it, which says nothing that whoever typed the command
 * could act on. Where there is none, the store says so itself.
 */
export async function loadSqliteQuietly(): Promise<void> {
  const emitWarning = process.emitWarning.bind(process) as (...given: unknown[]) => void;
  const before = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    if (String(warning).startsWith('SQLite is an experimental feature')) return;
    emitWarning(warning, ...rest);
  };
  try {
    await import('node:sqlite');
  } catch {
    // Too old a Node: `sqlite()` answers with what to do.
  } finally {
    if (before) Object.defineProperty(process, 'emitWarning', before);
  }
}
