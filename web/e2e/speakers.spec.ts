import type { Page } from '@playwright/test'
import { expect, expectToLookRight, test as base, type Project } from './support/editor'

interface Interview {
  /** Opens a project whose speakers are SPEAKER_00, SPEAKER_01 and SPEAKER_00 in turn. */
  interview: () => Promise<void>
}

const TURNS = [
  { speaker: 'SPEAKER_00', words: ['Welcome', 'to', 'the', 'show.'] },
  { speaker: 'SPEAKER_01', words: ['Thanks', 'for', 'inviting', 'me.'] },
  { speaker: 'SPEAKER_00', words: ['Let', 'us', 'start.'] },
]

/** The transcript as WhisperX writes it. */
function whisperX() {
  const segments = TURNS.map(({ speaker, words }, turn) => {
    const timed = words.map((word, i) => ({ word, start: 1.5 * turn + 0.3 * i + 0.2, end: 1.5 * turn + 0.3 * i + 0.5 }))
    return { speaker, start: timed[0]?.start, end: timed.at(-1)?.end, text: words.join(' '), words: timed }
  })

  return JSON.stringify({ language: 'en', segments })
}

const test = base.extend<Interview>({
  interview: async ({ open, edit, api, project }, provide) => {
    await provide(async () => {
      await open()
      const [clip] = await project.clips()
      await api.ask('PUT', `/clips/${clip?.uuid}/transcript`, { filename: 'talk.json', text: whisperX() })
      await api.ask('POST', `${project.path}/analyze`, {})
      await expectTurns(project, 'SPEAKER_00', 'SPEAKER_01', 'SPEAKER_00')
      await edit()
    })
  },
})

test.use({ seed: 'talk' })

const expectTurns = (project: Project, ...turns: string[]) =>
  expect
    .poll(async () => (await project.words()).map((w) => w.speaker).filter((s, i, all) => s !== all[i - 1]))
    .toEqual(turns)

const named = (page: Page, name: string) => page.getByRole('button', { name: `Rename the speaker ${name} everywhere` })

/** Types a name into the field of a speaker and ends with a key. */
async function rename(page: Page, before: string, after: string, key = 'Enter') {
  await named(page, before).first().click()
  await page.getByRole('textbox', { name: `New name of the speaker ${before}` }).focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type(after)
  await page.keyboard.press(key)
}

test('a name starts each turn, and Escape keeps it', async ({ page, interview, project }) => {
  await interview()
  await expect(named(page, 'SPEAKER_00')).toHaveCount(2)
  await rename(page, 'SPEAKER_00', 'nobody', 'Escape')
  await expect(named(page, 'SPEAKER_00')).toHaveCount(2)
  await page.reload()
  await expect(named(page, 'SPEAKER_00')).toHaveCount(2)
  await expectTurns(project, 'SPEAKER_00', 'SPEAKER_01', 'SPEAKER_00')
})

test('a new name of a speaker applies to all turns and to the search', async ({ page, interview, project, api }) => {
  await interview()
  await rename(page, 'SPEAKER_00', 'Ada Lovelace')
  await expect(named(page, 'Ada Lovelace')).toHaveCount(2)
  await rename(page, 'SPEAKER_01', 'Grace Hopper')
  await expect(named(page, 'Grace Hopper')).toHaveCount(1)
  await expectTurns(project, 'Ada Lovelace', 'Grace Hopper', 'Ada Lovelace')
  await expectToLookRight(page)
  const found = async () => (await api.ask<{ items: unknown[] }>('GET', '/search?q=inviting')).items
  await expect
    .poll(found)
    .toMatchObject([{ speaker: 'Grace Hopper', fragment: expect.stringContaining('Grace Hopper: Thanks') }])
})

test('the name of another speaker joins the two by keyboard, and undo parts them', async ({
  page,
  interview,
  project,
}) => {
  await interview()
  await named(page, 'SPEAKER_01').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'New name of the speaker SPEAKER_01' })).toBeFocused()
  await page.keyboard.type('SPEAKER_00')
  await page.keyboard.press('Enter')
  await expectTurns(project, 'SPEAKER_00')
  await page.locator('[data-transcript]').focus()
  await page.keyboard.press('Control+z')
  await expect(named(page, 'SPEAKER_01')).toHaveCount(1)
  await expectTurns(project, 'SPEAKER_00', 'SPEAKER_01', 'SPEAKER_00')
})
