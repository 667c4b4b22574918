import { fileURLToPath, pathToFileURL } from 'node:url';

/** The URI of an absolute path. */
export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}

/**
 * The path that a URI names; `undefined` when it names no file of this machine. Expanded templates have `?` and `#` as they
 * are, and no URI of a file has a query or a fragment, so they are characters of the name.
 */
export function pathOf(uri: string): string | undefined {
  if (!/^file:\/\//iu.test(uri)) return undefined;
  try {
    return fileURLToPath(uri.replaceAll('?', '%3F').replaceAll('#', '%23'));
  } catch {
    // Another machine's, a slash or a NUL in escapes, or broken escapes.
    return undefined;
  }
}
