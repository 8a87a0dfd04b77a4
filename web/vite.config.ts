import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

// precompress writes a .gz file for each text file of the build. embed.go serves it to browsers that accept gzip.
function precompress(): Plugin {
  let outDir = ''
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      outDir = join(config.root, config.build.outDir)
    },
    closeBundle() {
      for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|svg)$/.test(name)) continue
        const path = join(outDir, name)
        writeFileSync(path + '.gz', gzipSync(readFileSync(path), { level: 9 }))
      }
    },
  }
}

const backend = process.env['ROUGHCUT_URL'] ?? 'http://127.0.0.1:8420'

export default defineConfig({
  base: './', // URLs stay relative to <base href> in index.html, so that a server can serve the app under a sub-path
  plugins: [react(), tailwindcss(), precompress()],
  build: {
    target: 'es2022',
    // Vite copies public/.gitkeep into dist, because the Go embed pattern needs a file even before the first build.
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: {
    fs: { allow: ['..'] }, // the caption styles are in ../media
    proxy: Object.fromEntries(
      ['/api', '/media/', '/asset/', '/upload/', '/download/', '/fonts/'].map((path) => [path, backend]),
    ),
  },
  test: {
    include: ['src/**/*.test.ts', 'eslint/*.test.js'],
    setupFiles: ['src/testLocale.ts'],
    environment: 'node',
    testTimeout: 120_000, // long enough for a busy machine
  },
})
