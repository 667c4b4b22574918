import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fail, ok, reasonOf, warn, type Check, type CheckResult, type DoctorContext } from './check.ts';

const needle = 'cairn doctor was here';

/** The loader tries one file after the other; what went wrong with the first, which is the one that counts, it says last. */
function whyNot(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? whyNot(error.cause) : reasonOf(error);
}

async function versionOf(name: string): Promise<string> {
  const path = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const manifest: unknown = JSON.parse(await readFile(path, 'utf8'));
  return String(Reflect.get(Object(manifest), 'version'));
}

/** Searches a directory that holds one file with one line. */
async function trySearch({ temporary, signal, version }: DoctorContext, mend: string): Promise<CheckResult> {
  const { glob, grep } = await import('@cairn/natives');
  const path = await realpath(temporary)
    .then((directory) => mkdtemp(join(directory, 'cairn-doctor-')))
    .catch(() => undefined);
  // The next check says why not, and what to do.
  if (path === undefined) return warn(`${version} loads; no temporary file can be made to search`, 'see writing below');
  try {
    await writeFile(join(path, 'note.txt'), `${needle}\n`);
    const listed = await glob({ pattern: '*.txt', path, signal });
    const found = await grep({ pattern: needle, path, signal });
    const is = `${listed.matches.map((match) => match.path).join()} ${found.matches.map((match) => match.lineNumber).join()}`;
    if (is === 'note.txt 1') return ok(`${version} loads, lists and searches`);
    return fail(`it loads, but a search of one file found '${is}'`, mend);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

export const addonCheck: Check = {
  name: 'addon',
  run: async (context) => {
    const mend = 'install @cairn/cli again without --omit=optional; in a clone, run npm start';
    try {
      await import('@cairn/natives');
    } catch (error) {
      return fail(`it does not load on ${context.platform}-${context.arch}: ${whyNot(error)}`, mend);
    }
    for (const name of ['@cairn/natives', '@cairn/coding-agent']) {
      const version = await versionOf(name);
      if (version !== context.version) return fail(`${name} is ${version}, and @cairn/cli ${context.version}`, mend);
    }
    return trySearch(context, mend);
  },
};
