/** Stores one fact of the project of a directory: `node twin-child.ts <store> <directory> <text>`. */
import { createMemory, projectOf } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import process from 'node:process';

const [, , store = '', directory = '', text = ''] = process.argv;
const memory = createMemory({ backend: sqlite({ path: store }), project: await projectOf(directory) });
await memory.facts.remember(text);
await memory.close();
