import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, type Page } from '@playwright/test'

/** Drops a file on the page once that takes files, under its own name unless `name` is given. */
export const dropFile = (page: Page, path: string, name = basename(path), type = 'video/mp4') =>
  dropFiles(page, { [name]: path }, type)

/** Drops files of a type on the page once that takes files: their paths by name. */
export async function dropFiles(page: Page, paths: Record<string, string>, type = 'video/mp4') {
  const files = Object.entries(paths).map(([name, path]) => [name, readFileSync(path).toString('base64')] as const)
  const data = await page.evaluateHandle(
    ([files, type]) => {
      const data = new DataTransfer()
      for (const [name, bytes] of files) {
        const content = Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))
        data.items.add(new File([content], name, { type }))
      }

      return data
    },
    [files, type] as const,
  )

  const send = (event: string) => page.dispatchEvent('body', event, { dataTransfer: data })
  await expect(async () => {
    for (const event of ['dragenter', 'dragover']) await send(event)
    await expect(page.getByText(/^Drop to /)).toBeVisible({ timeout: 500 })
  }).toPass()

  await send('drop')
}

/** Drops files and folders of the disk in the middle of a page that takes files, as a file manager does. */
export async function dropPaths(page: Page, paths: string[]) {
  const browser = await page.context().newCDPSession(page)
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  const send = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    browser.send('Input.dispatchDragEvent', { type, x: width / 2, y: height / 2, data })

  for (const type of ['dragEnter', 'dragOver'] as const) await send(type)
  await expect(page.getByText(/^Drop to /)).toBeVisible()
  await send('drop')
}
