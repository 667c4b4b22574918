import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatCount } from '../terminal/text.ts';
import { ok, skip, warn, type Check, type DoctorContext } from './check.ts';

/** The directories of a large project. Newer kernels allow more by default. */
const MIN_WATCHES = 65_536;
/** The default of kernels. An editor uses several. */
const MIN_INSTANCES = 128;

async function readLimit({ proc }: DoctorContext, name: string): Promise<number | undefined> {
  const text = await readFile(join(proc, 'sys', 'fs', 'inotify', name), 'utf8').catch(() => undefined);
  return text !== undefined && /^\d+\s*$/u.test(text) ? Number(text) : undefined;
}

function raise(name: string, value: number): string {
  return `echo fs.inotify.${name}=${value} | sudo tee -a /etc/sysctl.d/60-inotify.conf && sudo sysctl --system`;
}

export const watchLimitsCheck: Check = {
  name: 'watch limits',
  run: async (context) => {
    if (context.platform !== 'linux') return skip('this system has no such limits');
    const watches = await readLimit(context, 'max_user_watches');
    const instances = await readLimit(context, 'max_user_instances');
    if (watches === undefined || instances === undefined) return skip('the system does not report them');
    const message = `${formatCount(watches)} watches, ${formatCount(instances)} instances of inotify`;
    if (watches < MIN_WATCHES) return warn(message, raise('max_user_watches', 524_288));
    if (instances < MIN_INSTANCES) return warn(message, raise('max_user_instances', 512));
    return ok(message);
  },
};
