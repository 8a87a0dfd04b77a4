import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Server } from './server'
import { expect, test as base } from './test'

export { expect, expectToLookRight, file } from './test'

interface Fixtures {
  /** Signs in with an account of the seed, by its name. */
  signIn: (name: string) => Promise<void>
  /** Signs in with an account of the seed and opens a page. */
  enter: (name: string, path?: string) => Promise<void>
}

/** A page test of a server with the accounts of the seed. */
export const test = base.extend<Fixtures>({
  signIn: async ({ page, server }, provide) => {
    await provide(async (name) => {
      const form = { username: `${name}@example.com`, password: server.facts['password'] ?? '' }
      const response = await page.request.post(`${server.url}/api/v1/auth/login`, { form })
      expect(response.status()).toBe(200)
    })
  },

  enter: async ({ open, signIn }, provide) => {
    await provide(async (name, path) => {
      await signIn(name)
      await open(path)
    })
  },
})

/** Waits for an email in the outbox of a server with a link to a path, and returns the link. */
export async function mailedLink(server: Server, path: string): Promise<string> {
  const outbox = join(server.dir, 'outbox')
  const links = async () => {
    const mails = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'))
    const texts = await Promise.all(mails.map((name) => readFile(join(outbox, name), 'utf8')))
    const link = new RegExp(`http\\S+${path}\\?\\w+=[\\w.-]+`)
    return texts.map((text) => link.exec(text.replace(/=\r?\n/g, '').replaceAll('=3D', '='))?.[0] ?? '').filter(Boolean)
  }

  await expect.poll(links).not.toEqual([])
  return (await links())[0] ?? ''
}
