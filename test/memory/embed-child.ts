/** Makes the vectors of the facts of a user until all have some: `node embed-child.ts <path> <url>`. Prints a line when it is done. */
import { sqlite } from '@cairn/memory/sqlite';
import { embeddingSettings, serverEmbeddings } from '@cairn/memory/embeddings';
import { factSources } from '@cairn/memory/internal';
import { Meaning } from '@cairn/memory/terms';
import { writeSync } from 'node:fs';

const [path = '', url = ''] = process.argv.slice(2);
const settings = embeddingSettings({ CAIRN_EMBED_BASE_URL: url, CAIRN_EMBED_MODEL: 'scripted' });
if (settings === undefined) throw new Error('the server is missing');
const backend = sqlite({ path, busyTimeoutMs: 60_000 });
const isWhole = await new Meaning(backend, serverEmbeddings(settings)).makeAll(await factSources(backend, {}), {});
writeSync(1, `${isWhole ? 'done' : 'busy'}\n`);
await backend.close();
