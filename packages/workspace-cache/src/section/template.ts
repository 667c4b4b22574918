import { stringify } from 'yaml';

/**
 * Writes a value as YAML. A text of several lines keeps its lines, and an object that occurs twice is written twice: models
 * read neither folded texts nor anchors well. A missing value gives an empty string.
 */
function stringifyYaml(value: unknown): string {
  return value === undefined ? '' : stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

/**
 * The filters that the templates of the source document use, by their name in a template: `{{ value | yaml.stringify }}`.
 * Add each to the template engine: nunjucks has `Environment.addFilter(name, filter)`.
 */
export const templateFilters: Readonly<{ 'yaml.stringify': (value: unknown) => string }> = {
  'yaml.stringify': stringifyYaml,
};

/** What a template sees of a run. */
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
