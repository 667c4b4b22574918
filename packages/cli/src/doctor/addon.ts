import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fail, ok, reasonOf, warn, type Check, type CheckResult, type DoctorContext } from './check.ts';

const needle = 'written by cairn doctor';

/** Returns the reason for the first file that the loader tried: the innermost cause. */
function loadFailure(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? loadFailure(error.cause) : reasonOf(error);
}

async function versionOf(name: string): Promise<string> {
  const path = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const manifest: unknown = JSON.parse(await readFile(path, 'utf8'));
  return String(Reflect.get(Object(manifest), 'version'));
}

async function trySearch({ temporary, signal, version }: DoctorContext, fix: string): Promise<CheckResult> {
  const { glob, grep } = await import('@cairn/natives');
  const path = await realpath(temporary)
    .then((directory) => mkdtemp(join(directory, 'cairn-doctor-')))
    .catch(() => undefined);
  // The check of writing reports the reason.
  if (path === undefined) {
    return warn(`${version} loads; cannot create a temporary file to search`, "follow the fix of 'writing' below");
  }
  try {
    await writeFile(join(path, 'note.txt'), `${needle}\n`);
    const listed = await glob({ pattern: '*.txt', path, signal });
    const hits = await grep({ pattern: needle, path, signal });
    const is = `${listed.matches.map((match) => match.path).join()} ${hits.matches.map((match) => match.lineNumber).join()}`;
    if (is === 'note.txt 1') return ok(`${version} loads, lists and searches`);
    return fail(`it loads, but a search of one file returned "${is}"`, fix);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

export const checkAddon: Check = async (context) => {
  const fix = 'install @cairn/cli again without --omit=optional; in a clone, run npm start';
  try {
    await import('@cairn/natives');
  } catch (error) {
    return fail(`it does not load on ${context.platform}-${context.arch}: ${loadFailure(error)}`, fix);
  }
  for (const name of ['@cairn/natives', '@cairn/coding-agent']) {
    const version = await versionOf(name);
    if (version !== context.version) return fail(`${name} is ${version}, and @cairn/cli ${context.version}`, fix);
  }
  return trySearch(context, fix);
};

export const checkWriting: Check = async ({ temporary, signal }) => {
  let root: string;
  try {
    root = await mkdtemp(join(await realpath(temporary), 'cairn-doctor-'));
  } catch (error) {
    return fail(
      `cannot create a temporary file: ${reasonOf(error)}`,
      'set TMPDIR to a directory that you can write to',
    );
  }
  try {
    const loaded = await import('@cairn/coding-agent').catch(() => undefined);
    if (!loaded) return warn('not checked, because the addon does not load', "follow the fix of 'addon' first");
    const tools = loaded.createCodingTools({ root });
    const result = await tools.write.execute({ path: 'note.txt', content: 'x' }, { signal });
    signal.throwIfAborted();
    if (result.isError) {
      const [part] = result.content;
      return fail(part?.text.split('\n', 1)[0] ?? result.details.reason, result.details.hint);
    }
    if ((await readFile(join(root, 'note.txt'), 'utf8')) !== 'x') {
      return fail('a file does not contain what was written to it', `check the disk of ${temporary}`);
    }
    return ok('files are replaced atomically, with a journal');
  } finally {
    await rm(root, { recursive: true, force: true });
  }
};
