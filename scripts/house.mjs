/**
 * `npm run house [-- --list]`: prints the size of each package: lines, public names, long functions, closures with much
 * state and circles of files. `--list` names the functions, the closures and the circles.
 * A mirror, not a limit: the exit code is 0 whatever it counts.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

import { API } from 'typescript/unstable/sync';

import { circlesOf, closuresOf, longFunctions, relativeImports } from './lib/house.mjs';
import { root } from './lib/paths.mjs';

/** @import { Project, Symbol } from 'typescript/unstable/sync' */
/** @typedef {{ isTypeOnly?: boolean, parent?: { parent?: { isTypeOnly?: boolean } } }} TypeOnly */

/** Flags of symbols that the compiler's package does not export as values. */
const VALUE = 1 | 2 | 4 | 8 | 16 | 32 | 128 | 256;
const ALIAS = 2_097_152;
/** Entry points for the other packages and for tests. */
const NOT_PUBLIC = /^\.\/(?:internal(?:\/.*)?|testing|package\.json)$/u;

/** @param {string} directory @param {RegExp} pattern @returns {string[]} paths relative to the repository */
const filesBelow = (directory, pattern) =>
  existsSync(join(root, directory))
    ? readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
        .map((path) => posix.join(directory, path.split(sep).join('/')))
        .filter((path) => pattern.test(path))
        .toSorted()
    : [];

/** @param {string} path */
const read = (path) => readFileSync(join(root, path), 'utf8');

/** @param {readonly string[]} paths */
const countLines = (paths) => paths.reduce((sum, path) => sum + read(path).split('\n').length - 1, 0);

/** @param {string} path */
const countWords = (path) => read(path).split(/\s+/u).filter(Boolean).length;

/** Reports whether a name is exported by `export type`, as some classes are. @param {Symbol} symbol */
const isTypeOnly = ({ declarations }) => {
  const specifier = /** @type {TypeOnly | undefined} */ (declarations[0]?.resolve());
  return specifier?.isTypeOnly === true || specifier?.parent?.parent?.isTypeOnly === true;
};

/**
 * Returns the names that a package exports from its public entry points.
 *
 * @param {Project} project
 * @param {string} directory
 */
const publicNames = ({ checker, program }, directory) => {
  const manifest = /** @type {{ exports?: Record<string, string> }} */ (JSON.parse(read(`${directory}/package.json`)));
  const names = { values: new Set(), types: new Set() };
  for (const [subpath, path] of Object.entries(manifest.exports ?? {})) {
    if (NOT_PUBLIC.test(subpath)) continue;
    const source = program.getSourceFile(join(root, directory, path));
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${directory}/${path} is not a module of the program`);
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = (exported.flags & ALIAS) === 0 ? exported : checker.getAliasedSymbol(exported);
      const kind = isTypeOnly(exported) || (symbol.flags & VALUE) === 0 ? names.types : names.values;
      kind.add(exported.name);
    }
  }
  return { values: names.values.size, types: names.types.size };
};

/** @param {API} api @param {string} name */
const measure = (api, name) => {
  const directory = `packages/${name}`;
  const config = join(root, directory, 'tsconfig.json');
  const project = api.updateSnapshot({ openProject: config }).getProject(config);
  if (!project) throw new Error(`no project for ${config}`);
  const paths = filesBelow(`${directory}/src`, /(?<!\.test)\.ts$/u);
  const functions = [];
  const closures = [];
  /** @type {Map<string, string[]>} */
  const imports = new Map();
  for (const path of paths) {
    const source = project.program.getSourceFile(join(root, path));
    if (!source) continue;
    functions.push(...longFunctions(source).map((found) => ({ path, ...found })));
    closures.push(...closuresOf(source).map((found) => ({ path, ...found })));
    imports.set(
      path,
      relativeImports(source).map((module) => posix.join(posix.dirname(path), module)),
    );
  }
  const circles = circlesOf(imports);
  return { name, lines: countLines(paths), ...publicNames(project, directory), functions, closures, circles };
};

const api = new API({ cwd: root });
/** @type {ReturnType<typeof measure>[]} */
let packages;
try {
  packages = readdirSync(join(root, 'packages'))
    .filter((name) => existsSync(join(root, 'packages', name, 'tsconfig.json')))
    .map((name) => measure(api, name));
} finally {
  api.close();
}

const rows = packages.map(({ name, lines, values, types, functions, closures, circles }) => {
  const tables = functions.filter(({ isTable }) => isTable).length;
  return [name, lines, values, types, functions.length - tables, tables, closures.length, circles.length];
});
const total = rows.reduce((sum, row) => sum.map((cell, at) => (at === 0 ? 'all' : Number(cell) + Number(row[at]))));
/** @param {readonly (string | number)[]} row */
const line = ([name = '', ...cells]) =>
  `${String(name).padEnd(16)}${cells.map((cell) => String(cell).padStart(10)).join('')}\n`;
const head = ['package', 'lines', 'values', 'types', '>80 lines', 'tables', 'closures', 'circles'];
const table = [head, ...rows, total].map(line).join('');

const design = filesBelow('docs/design', /\.md$/u);
const words = `
Rust in crates/  ${countLines(filesBelow('crates', /^(?!.*\/target\/).*\.rs$/u))} lines
docs/design      ${design.reduce((sum, path) => sum + countWords(path), 0)} words
ARCHITECTURE.md  ${countWords('ARCHITECTURE.md')} words
`;

const list = () => {
  const found = packages.flatMap(({ functions, closures, circles }) => [
    ...functions.map(
      ({ path, line, name, lines, isTable }) => `${path}:${line} ${name}: ${lines} lines${isTable ? ', a table' : ''}`,
    ),
    ...closures.map(({ path, line, name, captured }) => `${path}:${line} ${name} captures ${captured.join(', ')}`),
    ...circles.map((files) => `circle: ${files.join(', ')}`),
  ]);
  return `\n${found.map((place) => `${place}\n`).join('')}`;
};
// One write, so that a reader may close the pipe after the first lines.
process.stdout.write(`${table}${words}${process.argv.includes('--list') ? list() : ''}`);
