import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Builds the seeds, unless the folder ROUGHCUT_SEEDS has them. Returns what deletes its own folder. */
export default function seeds(): (() => void) | void {
  const given = process.env['ROUGHCUT_SEEDS']
  if (given && existsSync(join(given, 'seeds.json'))) return
  const folder = given ?? mkdtempSync(join(tmpdir(), 'roughcut-seeds-'))
  process.env['ROUGHCUT_SEEDS'] = folder
  execFileSync('go', ['test', '-count', '1', '-timeout', '20m', '-run', '^TestSeeds$', './e2e'], {
    cwd: resolve(import.meta.dirname, '../../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  })

  if (!given) return () => rmSync(folder, { recursive: true, force: true })
}
