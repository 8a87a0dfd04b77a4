import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, type Page } from '@playwright/test'

/** Drops a file on the page once that takes files, under its own name unless `name` is given. */
export async function dropFile(page: Page, path: string, name = basename(path), type = 'video/mp4') {
  const data = await page.evaluateHandle(
    ([bytes, name, type]) => {
      const data = new DataTransfer()
      const content = Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))
      data.items.add(new File([content], name, { type }))
      return data
    },
    [readFileSync(path).toString('base64'), name, type] as const,
  )

  const send = (event: string) => page.dispatchEvent('body', event, { dataTransfer: data })
  await expect(async () => {
    for (const event of ['dragenter', 'dragover']) await send(event)
    await expect(page.getByText(/^Drop to /)).toBeVisible({ timeout: 500 })
  }).toPass()

  await send('drop')
}
