import { afterEach, beforeEach, vi } from 'vitest';

/** Loaded before every test file: output on the console fails the test that made it. */
const methods = ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const;
const printed: string[] = [];

beforeEach(() => {
  printed.length = 0;
  for (const method of methods) {
    vi.spyOn(console, method).mockImplementation((...values: unknown[]) => {
      printed.push(`console.${method}(${values.map(String).join(', ')})`);
    });
  }
});

afterEach(() => {
  for (const method of methods) vi.mocked(console[method]).mockRestore();
  if (printed.length > 0) throw new Error(`a test must not print, but this one did: ${printed.join('; ')}`);
});
