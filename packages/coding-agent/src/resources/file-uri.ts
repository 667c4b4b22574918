import { fileURLToPath, pathToFileURL } from 'node:url';

export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}

/**
 * Returns the path of a file URI; `undefined` when the URI does not name a file of this machine. An expanded template holds
 * `?` and `#` unescaped, and file URIs have no query or fragment, so both count as characters of the name.
 */
export function pathOf(uri: string): string | undefined {
  if (!/^file:\/\//iu.test(uri)) return undefined;
  try {
    return fileURLToPath(uri.replaceAll('?', '%3F').replaceAll('#', '%23'));
  } catch {
    // A file of another machine, a slash or a NUL in escapes, or broken escapes.
    return undefined;
  }
}
