import { fileURLToPath } from 'node:url';

/** The file that `cairn` runs. */
export const cairnEntry: string = fileURLToPath(new URL('../../packages/cli/bin/cairn.js', import.meta.url));
