// Dismisses a selected suggestion, dismisses all and accepts all, and undoes each. Then switches the AI Director off for
// the account: the next analysis suggests nothing, and the switch of the project says why. Prints the number of
// suggestions of the analyses before and after as JSON.
//
// Environment:
//   BASE_URL  address of the server
//   SESSION   session cookie as name=value
//   PROJECT   UUID of a project with a clip that mentions an asset
import { ask, check, enter, look, page, run, until } from './browser.mjs'

const { BASE_URL: base, SESSION: session, PROJECT: project } = process.env

const button = (name) => page.getByRole('button', { name, exact: true })
const latestRun = async () => (await ask('GET', `/projects/${project}/analysis-runs`)).items[0]
const suggestions = async () => {
  const run = await until('the analysis is complete', async () => {
    const latest = await latestRun()
    return latest?.status === 'completed' && latest.uuid
  })
  const list = (await ask('GET', `/projects/${project}/edits/`)).items
  return list.filter((e) => e.type === 'asset' && e.run_uuid === run).length
}

// Decides on selected suggestions, and on all at once.
async function decide(suggested) {
  const region = page.getByRole('region', { name: 'Suggestions' })
  const press = (name) => region.getByRole('button', { name, exact: true }).click()
  const stored = async () => (await ask('GET', `/projects/${project}/edits/`)).items.filter((e) => e.type === 'asset')
  const left = (n, active) =>
    until(`${n} suggestions are left`, async () => {
      const list = await stored()
      return list.length === n && list.every((e) => e.active === active)
    })
  const undo = async () => {
    await page.getByRole('button', { name: /^Undo/ }).click()
    await left(suggested, false)
  }
  await region.getByRole('button', { name: /suggestions?$/ }).click()
  await region.getByRole('checkbox').first().check()
  const before = page.viewportSize()
  for (const size of [{ width: 900, height: 1000 }, before]) {
    await page.setViewportSize(size)
    if (size !== before) await page.getByRole('tab', { name: /^Cuts/ }).click()
    check(await region.getByRole('checkbox').first().isChecked(), 'another layout has lost the checkmark')
  }
  await press('Dismiss 1')
  await left(suggested - 1, false)
  await undo()
  await press('Dismiss all')
  await left(0, false)
  await undo()
  await press('Accept all')
  await left(suggested, true)
  await undo()
}

await run(async () => {
  await enter(base, session)
  await page.goto(`${base}/projects/${project}`)
  await button('Find cuts').click()
  await page.getByRole('region', { name: 'Suggestions' }).waitFor()
  const before = await suggestions()
  await look('suggested')
  await decide(before)

  await page.goto(`${base}/settings/presets`)
  const account = page.getByRole('switch', { name: 'Suggest assets' })
  check(await account.isChecked(), 'suggestions are off for a new account')
  await account.click()
  await until('the switch is stored', async () => (await ask('GET', '/users/me')).ai_director === false)
  await page.reload()
  await until('the switch is off after a reload', async () => !(await account.isChecked()))
  await look('off')

  await page.goto(`${base}/projects/${project}`)
  await button('More choices').click()
  const own = page.getByRole('switch', { name: 'Suggest assets' })
  check((await own.isDisabled()) && !(await own.isChecked()), 'the project can still switch suggestions on')
  await page.getByText('Off for the whole account.').waitFor()
  await look('project')
  await page.keyboard.press('Escape')
  const { uuid } = await latestRun()
  await button('Find again').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Find cuts' }).click()
  await until('a second analysis exists', async () => (await latestRun()).uuid !== uuid)
  const after = await suggestions()
  await page.getByRole('region', { name: 'Suggestions' }).waitFor({ state: 'detached' })
  await look('nothing-suggested')
  return { before, after }
})
