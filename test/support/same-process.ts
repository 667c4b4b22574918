import process from 'node:process';
import { afterAll } from 'vitest';

/** Loaded before every test file: the next file, which runs in the same process, finds the environment that this one found. */
const env = { ...process.env };
const directory = process.cwd();

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(directory);
});
