import { dropFile } from './support/drop'
import { editorReady } from './support/editor'
import { expect, expectToLookRight, file, test } from './support/test'

test('the launch address signs in and loses its token', async ({ page, server }) => {
  await page.goto(server.launch)
  await expect(page.getByRole('button', { name: 'New project' }).first()).toBeVisible()
  expect(page.url()).not.toContain('launch=')
})

test('the empty projects page looks right', async ({ page, open }) => {
  await open()
  await expect(page.getByRole('button', { name: 'New project' }).first()).toBeVisible()
  await expectToLookRight(page)
})

test('a file that is dropped on the page becomes a project', async ({ page, open, api }) => {
  await open()
  await expect(page.getByRole('heading', { name: 'Drop a recording' })).toBeVisible()
  await dropFile(page, file('tiny.mp4'), 'autumn_talk.mp4')
  await page.waitForURL(/\/projects\//)
  const project = new URL(page.url()).pathname.split('/').pop()
  await expect
    .poll(async () => (await api.ask<{ duration_ms: number }>('GET', `/projects/${project}`)).duration_ms)
    .toBeGreaterThan(0)

  await open('/')
  await expect(page.getByRole('link', { name: 'autumn talk' })).toBeVisible()
})

test.describe('when a response is lost', () => {
  test.use({ consoleErrors: ['net::ERR_FAILED'] })

  test('a new project exists once', async ({ page, open, api }) => {
    await open()
    const keys: (string | null)[] = []
    await page.route('**/api/v1/projects', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback()
      keys.push(await route.request().headerValue('Idempotency-Key'))
      if (keys.length > 1) return route.fallback()
      await route.fetch()
      await route.abort()
    })

    await page.getByRole('button', { name: 'New project' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Garden talk')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL(/\/projects\//)
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]])
    expect((await api.ask<{ total: number }>('GET', '/projects/')).total).toBe(1)
  })
})

test.describe('with an analyzed talk', () => {
  test.use({ seed: 'talk' })

  test('the projects are sorted by age, and by name on request', async ({ page, open, api }) => {
    await open()
    await api.ask('POST', '/projects/', { name: 'zebra' })
    await page.reload()
    await expect(page.getByText(/^\d+ to review$/)).toBeVisible()
    const names = page.locator('main h2 a')
    await expect(names).toHaveText(['zebra', 'Light in a small kitchen'])
    await page.getByLabel('Sort by').selectOption('name')
    await expect(names).toHaveText(['Light in a small kitchen', 'zebra'])
    await expectToLookRight(page)
  })

  test('the search finds a spoken word and opens its moment', async ({ page, open }) => {
    await open()
    await page.getByRole('heading', { name: 'Projects' }).click()
    await page.keyboard.press('/')
    await page.keyboard.type('microphone')
    await expect(page.getByRole('region', { name: 'Light in a small kitchen' }).locator('mark').first()).toBeVisible()
    await expectToLookRight(page)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/projects\/.*at=/)
    expect(Number(new URL(page.url()).searchParams.get('at'))).toBeGreaterThan(1000)
  })

  test('a duplicate of a project has its cuts, and stays when the original is deleted', async ({
    page,
    open,
    api,
    server,
  }) => {
    await open('/')
    await page.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    const names = page.locator('main h2 a')
    await expect(names).toHaveText(['Light in a small kitchen copy', 'Light in a small kitchen'])
    await expectToLookRight(page)
    const cuts = async (uuid: string) => (await api.ask<{ total: number }>('GET', `/projects/${uuid}/edits/`)).total
    const original = String(server.facts['project'])
    const found = await cuts(original)
    expect(found).toBeGreaterThan(0)
    await api.ask('DELETE', `/projects/${original}`)
    await names.first().click()
    await page.waitForURL(/\/projects\//)
    await editorReady(page)
    expect(await cuts(new URL(page.url()).pathname.split('/').pop() ?? '')).toBe(found)
  })

  test('a project comes back from the trash, by Undo and by Restore, or is deleted', async ({ page, open }) => {
    await open('/')
    const name = 'Light in a small kitchen'
    const card = page.getByRole('link', { name })
    const trash = page.getByRole('list', { name: 'Trash' })
    // A picture that is still requested when its project is in the trash gets a 404.
    const picture = page.getByRole('listitem').filter({ has: card }).locator('img')
    const throwAway = async () => {
      await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0)
      await page.getByRole('button', { name: `Actions for ${name}` }).click()
      await page.getByRole('menuitem', { name: 'Move to trash' }).click()
      await expect(card).toHaveCount(0)
    }

    await throwAway()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(card).toBeVisible()

    await throwAway()
    await page.getByText('1 project in the trash').click()
    await expectToLookRight(page)
    await open('/settings/storage')
    const row = page.getByRole('list', { name: 'Projects by size' }).getByRole('listitem').first()
    await expect(row).toContainText('In the trash')
    await expect(row.getByRole('link')).toHaveCount(0)
    await expectToLookRight(page)

    await open('/')
    await page.getByText('1 project in the trash').click()
    await page.getByRole('button', { name: `Restore ${name}` }).click()
    await expect(card).toBeVisible()
    await expect(trash).toHaveCount(0)

    await throwAway()
    await page.getByText('1 project in the trash').click()
    await page.getByRole('button', { name: `Delete permanently: ${name}` }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete permanently' }).click()
    await expect(page.getByText(`Deleted “${name}”`)).toBeVisible()
    await expect(page.getByText('in the trash')).toHaveCount(0)
  })

  test('a click on Rename in a menu puts the focus into the field', async ({ page, open }) => {
    await open('/')
    await page.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused()
    await expect(page.getByRole('menu')).toHaveCount(0)
    await page.keyboard.type('Another name')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('link', { name: /Another name$/ })).toBeVisible()
  })
})

test.describe('with an export', () => {
  test.use({ seed: 'exported' })

  test('a card shows a frame, the length, the cuts to review and the exports, and follows decisions', async ({
    page,
    open,
    api,
    server,
  }) => {
    await open('/')
    const card = page.locator('main li').first()
    await expect(card.locator('img')).toBeVisible()
    const edits = `/projects/${server.facts['project']}/edits/`
    const { items } = await api.ask<{ items: { uuid: string }[] }>('GET', edits)
    await expect(card).toContainText(/\d:\d\d.*\d to review · 1 export/)
    await expectToLookRight(page)
    const left = Number(/(\d+) to review/.exec((await card.textContent()) ?? '')?.[1])
    expect(left).toBeGreaterThan(1)
    await card.getByRole('link').click()
    await expect(page.getByRole('tab', { name: `Cuts ${left}`, exact: true })).toBeVisible()
    await open('/')
    const decided = items.slice(1).map(({ uuid }) => ({ uuid, active: true }))
    await api.ask('PATCH', edits, { edits: decided })
    await page.reload()
    await expect(card).toContainText('1 to review · 1 export')
  })
})
