import { readFile } from 'node:fs/promises'
import { expect, test } from './support/editor'

test.use({ seed: 'talk' })

const stills = [
  { keys: 'Shift+S', extension: '.png', start: '89504e47' },
  { keys: 'Alt+Shift+S', extension: '.jpg', start: 'ffd8ff' },
]

for (const { keys, extension, start } of stills)
  test(`${keys} saves the frame at the playhead as ${extension}`, async ({ page, edit }) => {
    await edit()
    const [saved] = await Promise.all([page.waitForEvent('download'), page.keyboard.press(keys)])
    expect(saved.suggestedFilename()).toMatch(new RegExp(`\\${extension}$`))
    expect((await readFile(await saved.path())).toString('hex').slice(0, start.length)).toBe(start)
  })
