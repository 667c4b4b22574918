import { readFileSync } from 'node:fs';

export interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest;
}
