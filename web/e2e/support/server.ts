import { spawn, type ChildProcess } from 'node:child_process'
import { cpSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A data directory of e2e/seed_test.go. `empty` is a new directory in owner mode, `unowned` one with accounts. */
export type SeedName =
  | 'talk'
  | 'takes'
  | 'exported'
  | 'library'
  | 'numbers'
  | 'accounts'
  | 'untiled'
  | 'garden'
  | 'shapes'
  | 'empty'
  | 'unowned'

interface Seed {
  owner: boolean
  facts: Record<string, string>
}

const folder = () => {
  const path = process.env['ROUGHCUT_SEEDS']
  if (!path) throw new Error('ROUGHCUT_SEEDS is not set')
  return path
}

/** A file for uploads: talk.mp4, tiny.mp4, variable.mp4 (frame rate), large.mp4, bell.wav, logo.png, model.bin. */
export const file = (name: string) => join(folder(), 'files', name)

/** The environment that gives a server the speech model of the tests. */
export const withModel = () => ({ SPEECH_MODEL: file('model.bin') })

/** A server with its own copy of a seed. */
export class Server {
  private constructor(
    readonly dir: string,
    readonly facts: Record<string, string>,
    private child: ChildProcess,
    /** The first page; in owner mode with the launch token, which signs in. */
    readonly launch: string,
    private readonly log: string[],
    /** Starts the program again. */
    private readonly again: (address: string) => Promise<Started>,
  ) {}

  /** The address of the server without a slash at its end. */
  get url() {
    return new URL(this.launch).origin
  }

  get output() {
    return this.log.join('')
  }

  static async start(name: SeedName, env: Record<string, string>): Promise<Server> {
    const dir = mkdtempSync(join(tmpdir(), 'roughcut-page-'))
    const seed = copySeed(name, dir)
    const log: string[] = []
    const run = (address: string) => startProgram(dir, address, seed.owner, env, log)
    const { child, launch } = await run('127.0.0.1:0')
    return new Server(dir, seed.facts, child, launch, log, run)
  }

  /** Kills the server and starts it again at its address. */
  async restart() {
    await this.end('SIGKILL')
    this.child = (await this.again(new URL(this.url).host)).child
  }

  private async end(signal: NodeJS.Signals) {
    const exited = new Promise((done) => this.child.once('exit', done))
    if (this.child.exitCode === null && this.child.kill(signal)) await exited
  }

  /** Ends the server and deletes its data. Returns its log. */
  async stop(): Promise<string> {
    await this.end('SIGTERM')
    rmSync(this.dir, { recursive: true, force: true })
    return this.output
  }
}

interface Started {
  child: ChildProcess
  launch: string
}

/** Starts a server and waits until it prints its address. */
async function startProgram(
  dir: string,
  address: string,
  owner: boolean,
  env: Record<string, string>,
  log: string[],
): Promise<Started> {
  const args = ['serve', '--listen', address, ...(owner ? ['--owner'] : [])]
  const child = spawn(file('program'), args, {
    env: {
      ROUGHCUT_TEST_AS_PROGRAM: '1',
      PATH: process.env['PATH'],
      HOME: dir,
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(process.env['HOME'] ?? dir, '.cache'),
      DATA_DIR: dir,
      STORAGE_MIN_FREE_MB: '64',
      LOG_LEVEL: 'warn',
      TZ: 'UTC',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

  child.stderr.on('data', (part: Buffer) => log.push(part.toString()))
  for await (const line of createInterface(child.stdout)) {
    const at = line.indexOf('http://')
    if (at >= 0) return { child, launch: line.slice(at).trim() }
  }

  throw new Error(`the server exited before it was ready:\n${log.join('')}`)
}

function copySeed(name: SeedName, dir: string): Seed {
  if (name === 'empty' || name === 'unowned') return { owner: name === 'empty', facts: {} }
  const all = JSON.parse(readFileSync(join(folder(), 'seeds.json'), 'utf8')) as Record<string, Seed>
  const seed = all[name]
  if (!seed) throw new Error(`there is no seed ${name}`)
  const from = join(folder(), name)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === 'media') linkTree(join(from, 'media'), join(dir, 'media'))
    else if (entry.isDirectory() || entry.isFile())
      cpSync(join(from, entry.name), join(dir, entry.name), { recursive: true })
  }

  return seed
}

/** Stored media never changes, so its files are hard links. */
function linkTree(from: string, to: string) {
  mkdirSync(to, { mode: 0o700 })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkTree(source, target)
    else linkSync(source, target)
  }
}
