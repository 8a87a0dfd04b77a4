import { defineConfig } from '@playwright/test'

// The page tests. `make test-pages` runs them with the seeds of e2e/seed_test.go; docs/CONTRIBUTING.md says how to write
// one. RETRIES=0 runs each test once, as `make flake` does.
export default defineConfig({
  testDir: './e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: './e2e/support/seeds.ts',
  outputDir: './test-results',
  fullyParallel: true,
  workers: Number(process.env['PAGE_WORKERS'] ?? 2),
  retries: Number(process.env['RETRIES'] ?? 1),
  forbidOnly: true,
  timeout: 120_000, // long enough for a busy machine; no test looks at a clock
  expect: { timeout: 30_000 },
  reporter: [['dot'], ['./e2e/support/flaky.ts']],
  use: {
    viewport: { width: 1280, height: 720 },
    locale: 'en-US',
    timezoneId: 'UTC',
    colorScheme: 'dark',
    contextOptions: { reducedMotion: 'reduce' },
    acceptDownloads: true,
    permissions: ['clipboard-read', 'clipboard-write'],
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    // Actions, requests and the console. Pictures and copies of the page would take a third of the run.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false, sources: false },
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
      // A page lives for seconds here; the optimizing compilers cost more than they give back.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--js-flags=--no-opt,--no-maglev',
        '--host-resolver-rules=MAP home.test 127.0.0.1',
      ],
    },
  },
})
