import { readFileSync } from 'node:fs';

export interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== 'object' || value === null || !('version' in value) || !('engines' in value)) return false;
  const { version, engines } = value;
  return typeof version === 'string' && typeof engines === 'object' && engines !== null && 'node' in engines;
}

export function readManifest(): Manifest {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  if (isManifest(manifest)) return manifest;
  throw new Error('the package.json of @cairn/cli has no version or no engines');
}
