import { escapeControls } from '@cairn/tool/paths';
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

/** Puts a string into a code fence that nothing in the text can end. */
export function fenced(text: string, language: string = ''): string {
  const runs = text.match(/`+/gu) ?? [];
  const fence = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
  return `${fence}${language}\n${text}\n${fence}`;
}

let loaded: typeof Yaml | undefined;

/** Loads the library at the first use: a server or a command that shows no listing starts without it. */
function yaml(): typeof Yaml {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof Yaml;
  return loaded;
}

/**
 * Writes a value as YAML. The tree keeps its lines; a key and a string in a list stay on one line, and characters that hide or
 * turn text are escaped, so that no name of a file forges another entry. An object that occurs twice is written twice,
 * because models read anchors badly. A missing value gives an empty string.
 */
function stringifyYaml(value: unknown): string {
  if (value === undefined) return '';
  const { Document, isSeq, visit } = yaml();
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (key, node, ancestors) => {
      if (typeof node.value !== 'string') return;
      const kept = key === 'key' || ancestors.some((ancestor) => isSeq(ancestor)) ? '' : '\n';
      if (escapeControls(node.value, kept) !== node.value) node.type = 'QUOTE_DOUBLE';
    },
  });
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
  return escapeControls(text, '\n');
}

/**
 * The filters that the templates of the source document use, by their name in a template: `{{ value | yaml.stringify }}`.
 * Add each to the template engine: nunjucks has `Environment.addFilter(name, filter)`.
 */
export const templateFilters: Readonly<{ 'yaml.stringify': (value: unknown) => string }> = {
  'yaml.stringify': stringifyYaml,
};

export interface TemplateVariables {
  /** The data of the run; `undefined` before `init` and without a run. */
  readonly workspaceCache: unknown;
  readonly $context: { readonly userContext: Readonly<Record<string, unknown>> };
}

/**
 * Returns the variables with which a template reads the data of a run, both as `workspaceCache` and as
 * `$context.userContext.workspaceCache`.
 *
 * @param userContext the object that was passed to `init`.
 */
export function templateVariables(userContext: Readonly<Record<string, unknown>>): TemplateVariables {
  return { workspaceCache: userContext['workspaceCache'], $context: { userContext } };
}
