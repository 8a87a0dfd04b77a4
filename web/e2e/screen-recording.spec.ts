import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { components } from '../src/api/schema'
import { dropFile } from './support/drop'
import { fromListMenu, Project } from './support/editor'
import { expect, expectToLookRight, file, test, withModel } from './support/test'

test.use({ settings: withModel() })

/** Makes a recording with the audio of the talk over a page of text that scrolls all the time. */
function screenRecording() {
  const [text, path] = [test.info().outputPath('page.txt'), test.info().outputPath('lesson.mp4')]
  const lines = Array.from({ length: 90 }, (_, n) => `${n}  if err := open(file${7 * n}); err != nil { return ${n} }`)
  writeFileSync(text, lines.join('\n'))
  const scroll = `drawtext=textfile=${text}:fontsize=20:fontcolor=0xd0d0e0:x=120:expansion=none:y=20-60*t`
  const from = ['-f', 'lavfi', '-i', 'color=0x1e1e2e:s=1280x720:r=10', '-i', file('talk.mp4')]
  const options = '-map 0:v -map 1:a -shortest -c:v libx264 -preset veryfast -g 20 -pix_fmt yuv420p -c:a copy'
  execFileSync('ffmpeg', ['-v', 'error', ...from, '-vf', scroll, ...options.split(' '), path])
  return path
}

test('a screen recording keeps its silences while the video changes, says why, and can cut them', async ({
  page,
  open,
  api,
}) => {
  test.slow()
  await open()
  await expect(page.getByRole('heading', { name: 'Drop a recording' })).toBeVisible()
  await dropFile(page, screenRecording(), 'lesson.mp4')
  const note = page.getByRole('note').filter({ hasText: 'This is a screen recording' })
  await expect(note).toContainText('silences while the video changes are kept', { timeout: 100_000 })
  await expectToLookRight(page)

  const project = new Project(api, /projects\/([^/?#]+)/.exec(page.url())?.[1] ?? '')
  const runs = async () =>
    (await api.ask<{ items: components['schemas']['RunSummary'][] }>('GET', `${project.path}/analysis-runs`)).items

  const silences = async () => (await project.edits()).filter((edit) => edit.type === 'silence' && edit.active).length
  expect((await project.clips()).map((clip) => clip.screen)).toEqual([true])
  expect(await runs()).toMatchObject([{ keep_demonstrations: true }])
  const kept = await silences()
  await expect(page.getByRole('button', { name: /Standard preset/ })).toBeVisible()

  await fromListMenu(page, 'Analyze again…')
  const again = page.getByRole('dialog', { name: 'Analyze again' })
  await expect(again.getByRole('note')).toContainText('This is a screen recording')
  await again.getByRole('button', { name: 'Switch off' }).click()
  await expect(again.getByRole('note')).toHaveCount(0)
  await again.getByText('More choices').click()
  await expect(again.getByRole('switch', { name: /^Keep demonstrations/ })).not.toBeChecked()
  await page.keyboard.press('Escape')

  await note.getByRole('button', { name: 'Switch off' }).click()
  await expect(note).toHaveCount(0)
  await expect.poll(silences).toBeGreaterThan(kept)
  expect(await runs()).toMatchObject([{ keep_demonstrations: false }])
})
