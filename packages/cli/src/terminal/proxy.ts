import http from 'node:http';
import type { Environment } from './output.ts';

const VARIABLES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'];
const OWN_MACHINE = 'localhost,127.0.0.1,::1';

/**
 * Sends the HTTP requests of this process through the proxy that the environment names, except those to this machine. Node
 * ignores these variables by default. Does nothing in a Node that has no call for it.
 */
export function useEnvironmentProxy(env: Environment): void {
  if (VARIABLES.every((name) => (env[name] ?? '') === '')) return;
  const excluded = [env['NO_PROXY'] ?? env['no_proxy'], OWN_MACHINE].filter(
    (names) => names !== undefined && names !== '',
  );
  const { setGlobalProxyFromEnv } = http as Partial<Pick<typeof http, 'setGlobalProxyFromEnv'>>;
  setGlobalProxyFromEnv?.({ ...env, NO_PROXY: excluded.join(','), no_proxy: undefined });
}
