import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.mjs', 'test/{e2e,pins,support}/**/*.test.ts'],
    setupFiles: ['./test/support/silent-console.ts'],
  },
});
