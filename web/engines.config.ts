import { defineConfig } from '@playwright/test'

// The jobs of a first cut in every engine, with Playwright as the runner only: each engine has its own driver.
export default defineConfig({
  testDir: './engines',
  globalSetup: './e2e/support/seeds.ts',
  outputDir: './test-results/engines',
  workers: 1,
  retries: 0,
  forbidOnly: true,
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
})
