/** Asks the compiler which public functions take options, so that a test over all of them cannot miss one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API } from 'typescript/unstable/sync';
import type { Checker, Project, Symbol as TypeSymbol, Type } from 'typescript/unstable/sync';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));

/** A parameter of a public function that is an object of options. */
export interface OptionsParameter {
  /** The specifier of its module, such as `@cairn/memory`. */
  readonly module: string;
  /** A function, such as `createMemory`, or a method of an exported type, such as `Facts.remember`. */
  readonly call: string;
  /** From 0. */
  readonly place: number;
  readonly options: readonly string[];
}

/** Flags of the compiler that its package does not export as values. */
const OPTIONAL = 16_777_216;
const VALUE = 1 | 2 | 16 | 32;
const TYPE = 32 | 64 | 524_288;
const ALIAS = 2_097_152;

const NAMED_OPTIONS = /(?:Options|Query|Selection|Limits)$/u;

function isOurs({ declarations }: TypeSymbol): boolean {
  return declarations.some(({ path }) => path.includes('/packages/') && !path.includes('/node_modules/'));
}

/** Returns the names of the options in a type; nothing for a type of something else. */
function optionsOf(checker: Checker, type: Type): readonly string[] {
  if (checker.getSignaturesOfType(type, 0).length > 0) return [];
  // A caller may add names of its own.
  if (checker.getIndexInfosOfType(type).length > 0) return [];
  const fields = checker.getPropertiesOfType(type).filter(isOurs);
  const name = (type.getAliasSymbol() ?? type.getSymbol())?.name ?? '';
  const isOptions = NAMED_OPTIONS.test(name) || fields.every(({ flags }) => (flags & OPTIONAL) !== 0);
  return isOptions ? fields.map((field) => field.name) : [];
}

function parametersOf(checker: Checker, type: Type): { place: number; options: readonly string[] }[] {
  return checker.getSignaturesOfType(type, 0).flatMap((signature) =>
    signature.getParameters().flatMap((parameter, place) => {
      const declared = checker.getTypeOfSymbol(parameter);
      const given = declared && checker.getNonNullableType(declared);
      const options = given ? optionsOf(checker, given) : [];
      return options.length > 0 ? [{ place, options }] : [];
    }),
  );
}

/** Returns the functions of a module and the methods of the types that it exports. */
function functionsOf({ checker, program }: Project, file: string): [call: string, type: Type][] {
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} is not a module of the program`);
  return checker.getExportsOfModule(module).flatMap((exported): [string, Type][] => {
    const symbol = (exported.flags & ALIAS) === 0 ? exported : checker.getAliasedSymbol(exported);
    const value = (symbol.flags & VALUE) === 0 ? undefined : checker.getTypeOfSymbol(symbol);
    const declared = (symbol.flags & TYPE) === 0 ? undefined : checker.getDeclaredTypeOfSymbol(symbol);
    const methods = (declared ? checker.getPropertiesOfType(declared) : []).flatMap((method): [string, Type][] => {
      const type = isOurs(method) && !method.name.startsWith('__#') ? checker.getTypeOfSymbol(method) : undefined;
      return type ? [[`${exported.name}.${method.name}`, checker.getNonNullableType(type) ?? type]] : [];
    });
    // Callbacks among options are functions of the caller.
    return [
      ...(value ? [[exported.name, value] as [string, Type]] : []),
      ...(NAMED_OPTIONS.test(exported.name) ? [] : methods),
    ];
  });
}

/** The parameters with options of everything that the packages export to users, by their `exports`. */
export function optionsParameters(): OptionsParameter[] {
  const api = new API({ cwd: packages });
  try {
    return readdirSync(packages).flatMap((name) => {
      const directory = join(packages, name);
      const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
        readonly name: string;
        readonly exports?: Readonly<Record<string, string>>;
      };
      const entries = Object.entries(manifest.exports ?? {}).filter(
        ([subpath, path]) => subpath !== './internal' && path.endsWith('.ts'),
      );
      if (entries.length === 0) return [];
      const config = join(directory, 'tsconfig.json');
      const project = api.updateSnapshot({ openProject: config }).getProject(config);
      if (!project) throw new Error(`no project for ${config}`);
      return entries.flatMap(([subpath, path]) => {
        const module = `${manifest.name}${subpath.slice(1)}`;
        return functionsOf(project, join(directory, path)).flatMap(([call, type]) =>
          parametersOf(project.checker, type).map((parameter) => ({ module, call, ...parameter })),
        );
      });
    });
  } finally {
    api.close();
  }
}
