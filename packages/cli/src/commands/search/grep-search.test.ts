import { expect, test } from 'vitest';
import { globsBelow } from './grep-search.ts';

test.each([
  ['src', 'src/*.ts', './*.ts'],
  ['./src/', 'src/*.ts', './*.ts'],
  ['/work/src', 'src/*.ts', './*.ts'],
  ['src', './src/*.ts', './*.ts'],
  ['src', '!src/gen/**', '!./gen/**'],
  ['src', 'src/*.{ts,js}', './*.{ts,js}'],
  ['src', 'src/*.ts,src/*.js', './*.ts,./*.js'],
  ['src', '{src,test}/*.ts', './*.ts'],
  ['src', '*/*.ts', './*.ts'],
  ['src/deep', 'src/deep/a.ts', './a.ts'],
  ['src/deep', 'src/**/a.ts', './**/a.ts'],
  ['src/deep', '**/a.ts', './**/a.ts'],
  ['src', '*.ts', '*.ts'],
  ['src', 'src', 'src'],
  ['src', '!src/', '!src/'],
  ['src', 'lib/*.ts', 'lib/*.ts'],
  ['src/deep', 'src/*.ts', 'src/*.ts'],
  ['.', 'src/*.ts', 'src/*.ts'],
  ['..', 'src/*.ts', 'src/*.ts'],
  ['/other', 'src/*.ts', 'src/*.ts'],
])('below %s, the glob %s is %s', (root, glob, expected) => {
  expect(globsBelow({ root, cwd: '/work' }, [glob])).toEqual([expected]);
});
