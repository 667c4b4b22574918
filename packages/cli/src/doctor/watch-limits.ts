import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatCount } from '../terminal/text.ts';
import { ok, skip, warn, type Check, type DoctorContext } from './check.ts';

/** As many directories a large project has; what newer kernels allow by themselves is more. */
const FEWEST_WATCHES = 65_536;
/** What kernels allow by themselves. An editor takes several. */
const FEWEST_INSTANCES = 128;

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
    if (context.platform !== 'linux') return skip('this system sets none');
    const watches = await readLimit(context, 'max_user_watches');
    const instances = await readLimit(context, 'max_user_instances');
    if (watches === undefined || instances === undefined) return skip('the system does not tell them');
    const found = `${formatCount(watches)} watches, ${formatCount(instances)} instances of inotify`;
    if (watches < FEWEST_WATCHES) return warn(found, raise('max_user_watches', 524_288));
    if (instances < FEWEST_INSTANCES) return warn(found, raise('max_user_instances', 512));
    return ok(found);
  },
};
