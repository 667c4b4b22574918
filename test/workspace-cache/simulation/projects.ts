/** The projects of the simulated run: generated, and the same on every machine. */

type ProjectKind = 'Node' | 'Python' | 'monorepo' | 'mixed';
type ProjectSize = 'small' | 'medium' | 'large';

export interface Project {
  readonly kind: ProjectKind;
  readonly size: ProjectSize;
  /** The contents of all files, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** The directories that an agent lists to know the project; the root is an empty string. */
  readonly directories: readonly string[];
  /** The files that every agent reads. */
  readonly coreFiles: readonly string[];
  /** The file that each detail agent reads, one for each. */
  readonly detailFiles: readonly string[];
}

const topics = [
  'account',
  'billing',
  'catalog',
  'delivery',
  'export',
  'format',
  'gateway',
  'history',
  'import',
  'journal',
];
const parts = [
  'client',
  'config',
  'errors',
  'handler',
  'helper',
  'index',
  'model',
  'parser',
  'routes',
  'schema',
  'store',
  'types',
];

/** Modules, and files in each: fewer than 100 files, 100 to 1,000, and more than 1,000. */
const sizes: Readonly<Record<ProjectSize, readonly [modules: number, files: number]>> = {
  small: [4, 6],
  medium: [24, 12],
  large: [90, 14],
};

function nameOf(words: readonly string[], index: number): string {
  const round = Math.floor(index / words.length);
  return `${words[index % words.length]}${round === 0 ? '' : round + 1}`;
}

function linesOf(count: number, line: (number: number) => string): string {
  return Array.from({ length: count }, (_, index) => `${line(index + 1)}\n`).join('');
}

function source(path: string): string {
  return linesOf(40, (number) => `// ${path}: line ${number} of the implementation`);
}

function readme(title: string): string {
  return `# ${title}\n\n${linesOf(50, (number) => `Paragraph ${number} describes what the project does and how it is used.`)}`;
}

/** Modules of sources below a directory, with a test for every other file. */
function addModules(
  files: Map<string, string>,
  directory: string,
  extension: string,
  [modules, count]: readonly [number, number],
): void {
  for (let module = 0; module < modules; module++) {
    for (let file = 0; file < count; file++) {
      const path = `${directory}/${nameOf(topics, module)}/${nameOf(parts, file)}.${extension}`;
      files.set(path, source(path));
    }
  }
}

function addDocs(files: Map<string, string>, count: number): void {
  for (let page = 0; page < count; page++) files.set(`docs/${nameOf(topics, page)}.md`, readme(nameOf(topics, page)));
}

function npmManifest(name: string): string {
  return `${JSON.stringify({ name, version: '1.0.0', type: 'module', scripts: { build: 'tsc', test: 'vitest' }, dependencies: Object.fromEntries(topics.map((topic) => [topic, '^1.0.0'])) }, undefined, 2)}\n`;
}

const pythonManifest = `[project]\nname = "project"\nversion = "1.0.0"\ndependencies = [\n${topics.map((topic) => `  "${topic}>=1.0",\n`).join('')}]\n`;

interface Layout {
  readonly directories: readonly string[];
  readonly coreFiles: readonly string[];
  readonly add: (files: Map<string, string>, size: readonly [modules: number, files: number]) => void;
}

const layouts: Readonly<Record<ProjectKind, Layout>> = {
  Node: {
    directories: ['', 'src', 'docs'],
    coreFiles: ['README.md', 'package.json'],
    add: (files, size) => {
      files.set('package.json', npmManifest('project'));
      files.set('tsconfig.json', '{}\n');
      addModules(files, 'src', 'ts', size);
      // Installed packages, which no tree shows.
      addModules(files, 'node_modules/installed', 'js', [10, 10]);
    },
  },
  Python: {
    directories: ['', 'src/project', 'docs'],
    coreFiles: ['README.md', 'pyproject.toml'],
    add: (files, size) => {
      files.set('pyproject.toml', pythonManifest);
      addModules(files, 'src/project', 'py', size);
      addModules(files, '.venv/lib', 'py', [10, 10]);
      addModules(files, 'src/project/__pycache__', 'pyc', [1, 10]);
    },
  },
  monorepo: {
    directories: ['', 'packages', 'docs'],
    coreFiles: ['README.md', 'package.json'],
    add: (files, [modules, count]) => {
      files.set('package.json', npmManifest('workspace'));
      files.set('pnpm-workspace.yaml', 'packages:\n  - packages/*\n');
      const packages = Math.ceil(modules / 3);
      for (let number = 0; number < packages; number++) {
        const directory = `packages/${nameOf(topics, number)}`;
        files.set(`${directory}/package.json`, npmManifest(nameOf(topics, number)));
        addModules(files, `${directory}/src`, 'ts', [3, count]);
        addModules(files, `${directory}/dist`, 'js', [3, count]);
      }
    },
  },
  mixed: {
    directories: ['', 'backend', 'frontend/src'],
    coreFiles: ['README.md', 'frontend/package.json'],
    add: (files, [modules, count]) => {
      files.set('frontend/package.json', npmManifest('frontend'));
      files.set('backend/pyproject.toml', pythonManifest);
      files.set('native/Cargo.toml', '[package]\nname = "native"\n');
      const third = Math.ceil(modules / 3);
      addModules(files, 'frontend/src', 'tsx', [third, count]);
      addModules(files, 'backend', 'py', [third, count]);
      addModules(files, 'native/src', 'rs', [third, count]);
      addModules(files, 'native/target', 'o', [3, count]);
    },
  },
};

/** Generates a project. */
function projectOf(kind: ProjectKind, size: ProjectSize): Project {
  const { directories, coreFiles, add } = layouts[kind];
  const files = new Map([
    ['README.md', readme('Project')],
    ['.gitignore', 'node_modules/\n.venv/\n__pycache__/\ndist/\ntarget/\n'],
  ]);
  add(files, sizes[size]);
  addDocs(files, { small: 4, medium: 12, large: 30 }[size]);
  const own = [...files.keys()].filter(
    (path) => path.startsWith(`${directories[1]}/`) && !/__pycache__|dist/u.test(path),
  );
  const detailFiles = Array.from({ length: 5 }, (_, index) => own[Math.floor((index * own.length) / 5)] ?? '');
  return { kind, size, files, directories, coreFiles, detailFiles };
}

/** How many files are neither installed nor built. */
export function fileCount({ files }: Project): number {
  return [...files.keys()].filter((path) => !/(?:^|\/)(?:node_modules|\.venv|__pycache__|dist|target)\//u.test(path))
    .length;
}

const kinds: readonly ProjectKind[] = ['Node', 'Python', 'monorepo', 'mixed'];

/** All projects, by size and kind. */
export const projects: readonly Project[] = (['small', 'medium', 'large'] as const).flatMap((size) =>
  kinds.map((kind) => projectOf(kind, size)),
);
