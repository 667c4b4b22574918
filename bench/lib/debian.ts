/** Takes files out of Debian's packages, without root and without installing them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { madeOnce } from './corpora/cache.ts';
import { say } from './progress.ts';

/** Runs a program and throws its output when it fails. */
export function mustRun(command: string, args: readonly string[], cwd?: string): void {
  const { status, error, stderr } = spawnSync(command, args, { ...(cwd !== undefined && { cwd }), encoding: 'utf8' });
  if (error !== undefined) throw new Error(`${command} cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr.trim()}`);
}

function download(name: string, directory: string): void {
  const fetch = (): void => mustRun('apt-get', ['download', name], directory);
  try {
    fetch();
  } catch (error) {
    // A bare image has no package lists, and only root may fetch them.
    if (process.getuid?.() !== 0) throw error;
    mustRun('apt-get', ['update']);
    fetch();
  }
}

/** Unpacks one of Debian's packages below `directory`. */
export function unpackDebianPackage(name: string, directory: string): void {
  const scratch = mkdtempSync(join(directory, '.download-'));
  try {
    download(name, scratch);
    const [file] = readdirSync(scratch);
    if (file === undefined) throw new Error(`apt-get download ${name} left no file`);
    mustRun('dpkg-deb', ['-x', join(scratch, file), directory]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Where the sources are of the release that the corpora are from. */
const sourceList =
  'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main\n';

/** Unpacks the upstream source of one of Debian's packages below `directory`, without Debian's own changes. */
export function unpackDebianSource(name: string, directory: string): void {
  const scratch = mkdtempSync(join(directory, '.download-'));
  try {
    writeFileSync(join(scratch, 'sources.list'), sourceList);
    // Lists of its own: most systems do not list sources, and only root may change theirs.
    const settings = {
      'Dir::Etc::SourceList': join(scratch, 'sources.list'),
      'Dir::Etc::SourceParts': '/dev/null',
      'Dir::State::Lists': join(scratch, 'lists'),
      'Dir::Cache': join(scratch, 'cache'),
    };
    const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
    for (const made of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(scratch, made), { recursive: true });
    mustRun('apt-get', [...options, 'update']);
    // Its status is that of all parts of a package. The upstream source is the first one.
    const { stderr } = spawnSync('apt-get', [...options, 'source', '--download-only', name], {
      cwd: scratch,
      encoding: 'utf8',
    });
    const archive = readdirSync(scratch).find((file) => /\.orig\.tar\.\w+$/.test(file));
    if (archive === undefined) throw new Error(`apt-get source ${name} left no source: ${stderr.trim()}`);
    mustRun('tar', ['-xf', join(scratch, archive), '-C', directory, '--strip-components=1']);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isThere(commands: readonly string[]): boolean {
  return commands.some((command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0);
}

const programs = [
  { name: 'fd-find', commands: ['fdfind', 'fd'] },
  { name: 'fzf', commands: ['fzf'] },
  // Not a peer: `tar` needs it for the kernel's source.
  { name: 'xz-utils', commands: ['xz'] },
];

/** Puts Debian's programs on the PATH of this process where the machine does not have them. */
export async function findDebianPrograms(): Promise<void> {
  for (const { name, commands } of programs) {
    if (isThere(commands)) continue;
    say(`Fetching Debian's ${name}`);
    try {
      const directory = await madeOnce(`debian-${name}`, (partial) => {
        mkdirSync(partial, { recursive: true });
        unpackDebianPackage(name, partial);
      });
      process.env['PATH'] = `${join(directory, 'usr', 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
    } catch (error) {
      say(`  ${name} is not here and could not be fetched: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
