import { formatCount } from '../terminal/text.ts';
import { useEnvironmentProxy } from '../terminal/proxy.ts';
import { fail, ok, skip, warn, type Check, type CheckResult } from './check.ts';

/** Ollama lists the tag that it assumes. */
function isListed(name: string, models: readonly string[]): boolean {
  return models.includes(name) || models.includes(`${name}:latest`);
}

const MAX_NAMES = 5;

export const checkModels: Check = async ({ env, signal }): Promise<CheckResult> => {
  if (!env['CAIRN_MODEL'] && !env['CAIRN_BASE_URL']) {
    return skip('CAIRN_MODEL and CAIRN_BASE_URL are not set; agents and workflows need them, everything else works');
  }
  const agents = await import('@cairn/agents').catch(() => undefined);
  if (!agents) return warn('not checked, because the addon does not load', "follow the fix of 'addon' first");
  const { AgentError, checkModel } = agents;
  useEnvironmentProxy(env);
  try {
    const { name, baseUrl, models, warnings } = await checkModel({ env, signal });
    if (models && !isListed(name, models)) {
      const names = models.slice(0, MAX_NAMES).join(', ');
      const more = models.length > MAX_NAMES ? ` and ${formatCount(models.length - MAX_NAMES)} more` : '';
      const listed = models.length === 0 ? 'no model' : `${names}${more}`;
      return warn(
        `${baseUrl} answers, but does not list the model "${name}"; it lists ${listed}`,
        'correct CAIRN_MODEL',
      );
    }
    const [warning] = warnings;
    if (warning !== undefined)
      return warn(`${name} at ${baseUrl}; the key is sent unencrypted`, 'use https:// in CAIRN_BASE_URL');
    return ok(models ? `${name} at ${baseUrl}` : `${name} at ${baseUrl}, which answers, but does not list its models`);
  } catch (error) {
    if (!AgentError.isInstance(error)) throw error;
    const fix = error.hint.replace(/\.$/u, '');
    return error.code === 'NO_MODEL' ? warn(error.summary, fix) : fail(error.summary, fix);
  }
};
