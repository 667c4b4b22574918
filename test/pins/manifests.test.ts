import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { subset } from 'semver';
import { describe, expect, test } from 'vitest';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, string>>;
  readonly repository?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly publishConfig: {
    readonly exports?: Readonly<Record<string, unknown>>;
    readonly bin?: Readonly<Record<string, string>>;
    readonly imports?: Readonly<Record<string, string>>;
  };
}

interface Pin {
  readonly exports: Readonly<Record<string, string>> | undefined;
  readonly published: Readonly<Record<string, unknown>> | undefined;
  readonly bin: readonly string[];
  readonly node: string;
}

const pins: Readonly<Record<string, Pin>> = {
  '@cairn/natives': {
    exports: {
      '.': './src/index.ts',
      './files': './src/files.ts',
      './internal': './src/internal.ts',
      './package.json': './package.json',
    },
    published: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './files': { types: './dist/files.d.ts', default: './dist/files.js' },
      './internal': { types: './dist/internal.d.ts', default: './dist/internal.js' },
      './package.json': './package.json',
    },
    bin: [],
    node: '>=20.19',
  },
  '@cairn/tool': {
    exports: {
      '.': './src/index.ts',
      './errors': './src/kernel/index.ts',
      './internal': './src/internal.ts',
      './kernel': './src/kernel/index.ts',
      './prompt': './src/prompt/index.ts',
      './paths': './src/paths/index.ts',
      './package.json': './package.json',
    },
    published: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './errors': { types: './dist/kernel/index.d.ts', default: './dist/kernel/index.js' },
      './internal': { types: './dist/internal.d.ts', default: './dist/internal.js' },
      './kernel': { types: './dist/kernel/index.d.ts', default: './dist/kernel/index.js' },
      './prompt': { types: './dist/prompt/index.d.ts', default: './dist/prompt/index.js' },
      './paths': { types: './dist/paths/index.d.ts', default: './dist/paths/index.js' },
      './package.json': './package.json',
    },
    bin: [],
    node: '>=20.19',
  },
  '@cairn/retrieval': {
    exports: { '.': './src/index.ts', './package.json': './package.json' },
    published: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    bin: [],
    node: '>=20.19',
  },
  '@cairn/hosts': {
    exports: { '.': './src/index.ts', './package.json': './package.json' },
    published: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    bin: [],
    node: '>=20.19',
  },
  '@cairn/coding-agent': {
    exports: { '.': './src/index.ts', './internal': './src/internal.ts', './package.json': './package.json' },
    published: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './internal': { types: './dist/internal.d.ts', default: './dist/internal.js' },
      './package.json': './package.json',
    },
    bin: [],
    node: '>=20.19',
  },
  '@cairn/workspace-cache': {
    exports: { '.': './src/index.ts', './tools': './src/tools/index.ts', './package.json': './package.json' },
    published: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './tools': { types: './dist/tools/index.d.ts', default: './dist/tools/index.js' },
      './package.json': './package.json',
    },
    bin: [],
    node: '>=20.19',
  },
  '@cairn/memory': {
    exports: {
      '.': './src/index.ts',
      './embeddings': './src/embeddings/index.ts',
      './internal': './src/internal.ts',
      './memory': './src/backends/in-process.ts',
      './sqlite': './src/backends/sqlite.ts',
      './redis': './src/backends/redis.ts',
      './testing': './src/testing/backend-contract.ts',
      './terms': './src/terms/index.ts',
      './tools': './src/tools/index.ts',
      './package.json': './package.json',
    },
    published: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './embeddings': { types: './dist/embeddings/index.d.ts', default: './dist/embeddings/index.js' },
      './internal': { types: './dist/internal.d.ts', default: './dist/internal.js' },
      './memory': { types: './dist/backends/in-process.d.ts', default: './dist/backends/in-process.js' },
      './sqlite': { types: './dist/backends/sqlite.d.ts', default: './dist/backends/sqlite.js' },
      './redis': { types: './dist/backends/redis.d.ts', default: './dist/backends/redis.js' },
      './testing': { types: './dist/testing/backend-contract.d.ts', default: './dist/testing/backend-contract.js' },
      './terms': { types: './dist/terms/index.d.ts', default: './dist/terms/index.js' },
      './tools': { types: './dist/tools/index.d.ts', default: './dist/tools/index.js' },
      './package.json': './package.json',
    },
    bin: [],
    node: '^22.22.3 || >=24.15.0',
  },
  '@cairn/context': {
    exports: { '.': './src/index.ts', './internal': './src/internal.ts', './package.json': './package.json' },
    published: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './internal': { types: './dist/internal.d.ts', default: './dist/internal.js' },
      './package.json': './package.json',
    },
    bin: [],
    node: '^22.22.3 || >=24.15.0',
  },
  '@cairn/knowledge': {
    exports: {
      '.': './src/index.ts',
      './internal': './src/internal.ts',
      './session': './src/session/index.ts',
      './tools': './src/tools/index.ts',
      './package.json': './package.json',
    },
    published: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './internal': { types: './dist/internal.d.ts', default: './dist/internal.js' },
      './session': { types: './dist/session/index.d.ts', default: './dist/session/index.js' },
      './tools': { types: './dist/tools/index.d.ts', default: './dist/tools/index.js' },
      './package.json': './package.json',
    },
    bin: [],
    node: '^22.22.3 || >=24.15.0',
  },
  '@cairn/agents': {
    exports: {
      '.': './src/index.ts',
      './tool-names': './src/tool-names.ts',
      './package.json': './package.json',
    },
    published: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './tool-names': { types: './dist/tool-names.d.ts', default: './dist/tool-names.js' },
      './package.json': './package.json',
    },
    bin: [],
    node: '^22.22.3 || >=24.15.0',
  },
  '@cairn/mcp-server': {
    exports: { '.': './src/index.ts', './http': './src/http/index.ts', './package.json': './package.json' },
    published: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './http': { types: './dist/http/index.d.ts', default: './dist/http/index.js' },
      './package.json': './package.json',
    },
    bin: [],
    node: '>=20.19',
  },
  '@cairn/cli': { exports: undefined, published: undefined, bin: ['cairn'], node: '^22.22.3 || >=24.15.0' },
};

const packages = new URL('../../packages/', import.meta.url);

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(new URL(`${directory}/package.json`, packages), 'utf8')) as Manifest;
}

const manifests = readdirSync(packages).map(readManifest);

test('every package is pinned here and every pin has a package', () => {
  expect(manifests.map(({ name }) => name).toSorted()).toEqual(Object.keys(pins).toSorted());
});

describe.each(manifests)('$name', (manifest) => {
  const pin = pins[manifest.name];

  test('has the pinned export maps, with the same keys in the workspace and when published', () => {
    expect(manifest.exports).toEqual(pin?.exports);
    expect(manifest.publishConfig.exports).toEqual(pin?.published);
    expect(Object.keys(manifest.publishConfig.exports ?? {})).toEqual(Object.keys(manifest.exports ?? {}));
  });

  test('has the pinned commands, in the workspace and when published', () => {
    expect(Object.keys(manifest.bin ?? {})).toEqual(pin?.bin);
    // The file is the same in both; only what it imports differs.
    expect(manifest.publishConfig.bin).toBeUndefined();
    expect(Object.keys(manifest.publishConfig.imports ?? {})).toEqual(Object.keys(manifest.imports ?? {}));
  });

  test('supports the pinned Nodes', () => {
    expect(manifest.engines.node).toBe(pin?.node);
  });

  test('supports no Node that a dependency does not support', () => {
    const directory = manifest.name.replace('@cairn/', '');
    const refused = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter((dependency) => {
      const { engines } = readManifest(`${directory}/node_modules/${dependency}`) as Partial<Manifest>;
      return !subset(manifest.engines.node, engines?.node ?? '*');
    });
    expect(refused).toEqual([]);
  });
});

test('all packages and crates share one version', () => {
  const cargo = readFileSync(fileURLToPath(new URL('../Cargo.toml', packages)), 'utf8');
  const versions = [...manifests.map(({ version }) => version), /^version = "([^"]+)"/mu.exec(cargo)?.[1]];
  expect(new Set(versions).size, versions.join(' ')).toBe(1);
});

test('every manifest names the repository, or none does', () => {
  expect(new Set(manifests.map(({ repository }) => repository !== undefined)).size).toBe(1);
});

test('pnpm has the same version wherever it is named', () => {
  const root = readFileSync(new URL('../package.json', packages), 'utf8');
  const catalog = readFileSync(new URL('../pnpm-workspace.yaml', packages), 'utf8');
  const named = /"packageManager": "pnpm@([\d.]+)"/u.exec(root)?.[1];
  expect(/^ {2}pnpm: ([\d.]+)$/mu.exec(catalog)?.[1]).toBe(named);
});
