/** Stages the packages as npm would install them: built, under their published names. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly publishConfig?: object;
}

/** Reads the manifest of every package. */
function readManifests(): { readonly directory: string; readonly manifest: Manifest }[] {
  return readdirSync(packages).map((name) => {
    const directory = join(packages, name);
    return { directory, manifest: JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest };
  });
}

/**
 * Copies the built packages into a new directory and links their dependencies to those of the workspace. Returns the main file
 * of `cairn`, and a function that removes the directory.
 */
export function stagePackages(): { readonly main: string; readonly remove: () => void } {
  const stage = mkdtempSync(join(tmpdir(), 'cairn-stage-'));
  const modules = join(stage, 'node_modules');
  for (const { directory, manifest } of readManifests()) {
    const target = join(modules, manifest.name);
    mkdirSync(target, { recursive: true });
    for (const part of ['dist', 'binding']) {
      if (existsSync(join(directory, part))) cpSync(join(directory, part), join(target, part), { recursive: true });
    }
    writeFileSync(join(target, 'package.json'), JSON.stringify({ ...manifest, ...manifest.publishConfig }));
    for (const name of Object.keys(manifest.dependencies ?? {}).filter((one) => !one.startsWith('@cairn/'))) {
      const link = join(modules, name);
      mkdirSync(dirname(link), { recursive: true });
      if (!existsSync(link)) symlinkSync(join(directory, 'node_modules', name), link);
    }
  }
  return { main: join(modules, '@cairn/cli/dist/main.js'), remove: () => rmSync(stage, { recursive: true }) };
}
