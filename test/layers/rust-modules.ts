import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** The code of a Rust file without comments, strings and its modules of tests. */
export function rustCode(source: string): string {
  const code = source.replaceAll(
    /\/\/.*|\/\*[^]*?\*\/|b?r(#*)"[^]*?"\1|b?"(?:\\[^]|[^"\\])*"|b?'(?:\\[^\n]+?|[^'\\\n])'/gu,
    (text) => (text.startsWith('/') ? ' ' : '""'),
  );
  const testModule = /#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*mod\s+\w+\s*(?:;|\{)/u;
  let rest = code;
  for (let match = testModule.exec(rest); match !== null; match = testModule.exec(rest)) {
    let end = match.index + match[0].length;
    for (let depth = match[0].endsWith('{') ? 1 : 0; depth > 0 && end < rest.length; end += 1) {
      if (rest[end] === '{') depth += 1;
      if (rest[end] === '}') depth -= 1;
    }
    rest = rest.slice(0, match.index) + rest.slice(end);
  }
  return rest;
}

/** The first names after `crate::`, also those of a group: `crate::{error::E, rules}` names `error` and `rules`. */
function namesAfter(prefix: RegExp, code: string): string[] {
  return [...code.matchAll(prefix)].flatMap((match) => {
    const start = match.index + match[0].length;
    if (code[start] !== '{') return /^\w+/u.exec(code.slice(start)) ?? [];
    const names: string[] = [];
    let depth = 1;
    let isFirst = true;
    for (const [token] of code.slice(start + 1).matchAll(/\w+|::|[{},]/gu)) {
      if (token === '{') depth += 1;
      else if (token === '}') depth -= 1;
      else if (token === ',') isFirst ||= depth === 1;
      else if (isFirst && depth === 1) {
        names.push(token);
        isFirst = false;
      }
      if (depth === 0) break;
    }
    return names;
  });
}

/**
 * What each module right below the root of a crate uses of its siblings, by way of `crate::` or `super::`, named
 * directly or by a name that `lib.rs` exports from it. Tests are left out.
 */
export function moduleUses(files: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const root = rustCode(files.get('lib.rs') ?? '');
  const modules = new Set([...root.matchAll(/\bmod\s+(\w+)\s*[;{]/gu)].map(([, name = '']) => name));
  const homes = new Map<string, string>();
  for (const [, home = '', names = ''] of root.matchAll(/\buse\s+(?:self::|crate::)?(\w+)::([^;]+);/gu)) {
    if (modules.has(home)) for (const [name] of names.matchAll(/\w+/gu)) homes.set(name, home);
  }
  const uses = new Map<string, Set<string>>();
  for (const [path, source] of files) {
    const parts = path.replace(/(?:\/mod)?\.rs$/u, '').split('/');
    const [module = ''] = parts;
    if (!modules.has(module) || parts.includes('tests')) continue;
    const used = uses.get(module) ?? new Set<string>();
    uses.set(module, used);
    const code = rustCode(source);
    const up = 'super::'.repeat(parts.length);
    const named = [
      ...namesAfter(/\bcrate::/gu, code),
      ...namesAfter(new RegExp(String.raw`(?<!super::)\b${up}(?!super)`, 'gu'), code),
    ];
    for (const name of named) {
      const target = modules.has(name) ? name : homes.get(name);
      if (target !== undefined && target !== module) used.add(target);
    }
  }
  return uses;
}

/** One circle for each module that reaches itself, as `a -> b -> a`; every circle once. */
export function circles(uses: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const found = new Map<string, string>();
  for (const start of uses.keys()) {
    const waiting = [[start]];
    const seen = new Set<string>();
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      for (const next of uses.get(path.at(-1) ?? '') ?? []) {
        if (next === start) {
          const key = path.toSorted().join(' ');
          if (!found.has(key)) found.set(key, [...path, start].join(' -> '));
        } else if (!seen.has(next)) {
          seen.add(next);
          waiting.push([...path, next]);
        }
      }
    }
  }
  return [...found.values()];
}

/** The Rust files below a directory, by their paths with forward slashes. */
export function readRustFiles(directory: string): Map<string, string> {
  return new Map(
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.rs'))
      .map((path) => [path.split(sep).join('/'), readFileSync(join(directory, path), 'utf8')]),
  );
}
