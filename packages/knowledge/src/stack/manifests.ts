/** The manifests that name a stack. Each reader returns what its file names, and throws when the text is not valid. */
import { isObject, type Fields } from '@cairn/tool/kernel';
import type { parse } from 'smol-toml';

interface ManifestNames {
  readonly project?: string | undefined;
  readonly dependencies: readonly string[];
  /** The language, and what else is known from the kind of file. */
  readonly languages: readonly string[];
}

function tableOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Loaded on first use: most projects have no TOML file, and the start of a session has little time. */
async function parseToml(text: string): Promise<Fields> {
  const toml: { readonly parse: typeof parse } = await import('smol-toml');
  return tableOf(toml.parse(text));
}

const DEPENDENCY_KEYS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

function readPackageJson(text: string): ManifestNames {
  const json = tableOf(JSON.parse(text));
  const dependencies = DEPENDENCY_KEYS.flatMap((key) => Object.keys(tableOf(json[key])));
  return { project: stringOf(json['name']), dependencies, languages: ['node', 'nodejs', 'javascript', 'js'] };
}

/** Reads the lines of `go.mod` that are directives, also those in parentheses. Indirect requirements name nothing of the project. */
function readGoMod(text: string): ManifestNames {
  let project: string | undefined;
  let block: string | undefined;
  const dependencies: string[] = [];
  for (const line of text.split('\n')) {
    const [content = '', comment = ''] = line.split('//', 2);
    const words = content.trim().split(/\s+/u);
    if (words[0] === ')') {
      block = undefined;
      continue;
    }
    const [directive, path] = block === undefined ? words : [block, words[0]];
    if (words.at(-1) === '(') block = words[0];
    else if (directive === 'module') project = path?.replaceAll('"', '');
    else if (directive === 'require' && path !== undefined && path !== '' && comment.trim() !== 'indirect') {
      dependencies.push(withoutVersion(path.replaceAll('"', '')).split('/').at(-1) ?? path);
    }
  }
  if (project === undefined) throw new Error('it has no line "module"');
  return { project: withoutHost(project), dependencies, languages: ['go', 'golang'] };
}

/** Removes the version from a path of Go: `github.com/redis/go-redis/v9`, `gopkg.in/yaml.v3`. */
function withoutVersion(path: string): string {
  return path.replace(/[/.]v\d+$/u, '');
}

/** Removes the host: `github.com/acme/exchange` is `acme/exchange`. */
function withoutHost(path: string): string {
  const [host = '', ...rest] = withoutVersion(path).split('/');
  return rest.length > 0 && host.includes('.') ? rest.join('/') : withoutVersion(path);
}

/** Returns the name in a requirement such as `redis[hiredis]>=5; python_version > "3.9"`. */
function nameOfRequirement(requirement: string): string {
  return /^\s*([A-Za-z0-9][A-Za-z0-9._-]*)/u.exec(requirement)?.[1] ?? '';
}

async function readPyproject(text: string): Promise<ManifestNames> {
  const toml = await parseToml(text);
  const project = tableOf(toml['project']);
  const poetry = tableOf(tableOf(toml['tool'])['poetry']);
  const lists = [
    project['dependencies'],
    ...Object.values(tableOf(project['optional-dependencies'])),
    ...Object.values(tableOf(toml['dependency-groups'])),
  ];
  const groups = Object.values(tableOf(poetry['group'])).map((group) => tableOf(group)['dependencies']);
  const tables = [poetry['dependencies'], poetry['dev-dependencies'], ...groups];
  return {
    project: stringOf(project['name']) ?? stringOf(poetry['name']),
    dependencies: [
      ...lists.flatMap(stringsOf).map(nameOfRequirement),
      ...tables.flatMap((table) => Object.keys(tableOf(table))),
    ],
    languages: ['python', 'py'],
  };
}

const CARGO_KEYS = ['dependencies', 'dev-dependencies', 'build-dependencies'];

async function readCargoToml(text: string): Promise<ManifestNames> {
  const toml = await parseToml(text);
  const places = [toml, tableOf(toml['workspace']), ...Object.values(tableOf(toml['target'])).map(tableOf)];
  const dependencies = places.flatMap((place) => CARGO_KEYS.flatMap((key) => Object.keys(tableOf(place[key]))));
  return { project: stringOf(tableOf(toml['package'])['name']), dependencies, languages: ['rust', 'rs'] };
}

export const manifests: readonly {
  readonly file: string;
  readonly read: (text: string) => Promise<ManifestNames> | ManifestNames;
}[] = [
  { file: 'package.json', read: readPackageJson },
  { file: 'go.mod', read: readGoMod },
  { file: 'pyproject.toml', read: readPyproject },
  { file: 'Cargo.toml', read: readCargoToml },
];
