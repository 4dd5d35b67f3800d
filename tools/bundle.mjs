// How code is bundled: by the build into dist/, and by the crash tests into one file for their child processes.

/** Packages that carry binaries, read files of their own or are asked for at run time: they stay packages. */
const PACKAGES = [
  'better-sqlite3', //
  'sqlite-vec',
  'onnxruntime-node',
  'jsdom',
  'undici',
  'pg',
  'pg-native',
];

/** zod's messages in fifty other languages, which nothing of ours asks for: half of its size, 40 ms of every start. */
const onlyEnglish = {
  name: 'only-english',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /locales\/index\.js$/ }, ({ resolveDir, kind }) =>
      resolve('../locales/en.js', { resolveDir, kind }),
    );
  },
};

/** What every bundle of ours is made with. */
export const bundleOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: PACKAGES,
  // jsonc-parser's main is a UMD file whose requires no bundler can follow; its module is plain.
  mainFields: ['module', 'main'],
  plugins: [onlyEnglish],
  // CommonJS packages in the bundle call `require` for node's own modules.
  banner: {
    js: "import { createRequire as nodeRequire } from 'node:module';const require = nodeRequire(import.meta.url);",
  },
  logLevel: 'warning',
};
