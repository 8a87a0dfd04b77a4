import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Builds the seeds, unless ROUGHCUT_SEEDS already names a folder with them. Returns what deletes them. */
export default function seeds(): (() => void) | void {
  if (process.env['ROUGHCUT_SEEDS']) return
  const folder = mkdtempSync(join(tmpdir(), 'roughcut-seeds-'))
  process.env['ROUGHCUT_SEEDS'] = folder
  execFileSync('go', ['test', '-count', '1', '-timeout', '20m', '-run', '^TestSeeds$', './e2e'], {
    cwd: resolve(import.meta.dirname, '../../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return () => rmSync(folder, { recursive: true, force: true })
}
