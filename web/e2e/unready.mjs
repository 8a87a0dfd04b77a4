// Uses Roughcut before everything is ready: a download of a speech model fails, says what to do and succeeds the second
// time, and an export is requested during an upload and has the uploaded clip. Prints the durations of the clips and of
// the export as JSON.
//
// Environment:
//   BASE_URL  address of a server without a speech model, with its launch token; the first download of base.en fails
//   VIDEO     path of a recording
import { readFileSync, statSync } from 'node:fs'
import { ask, check, look, page, run, until } from './browser.mjs'

const { BASE_URL: launchURL, VIDEO: video } = process.env

const button = (name) => page.getByRole('button', { name, exact: true })

async function failedDownload() {
  await page.goto(launchURL)
  await page.getByRole('heading', { name: 'Add a speech model' }).waitFor()
  await button('Download base.en').click()
  const said = page.getByRole('alert')
  await said.waitFor()
  const text = await said.textContent()
  check(
    /^The download of Base failed\. \S+ does not have this model: check the setting MODELS_URL, or download .+\.$/.test(
      text,
    ),
    `the page says "${text}"`,
  )
  await look('failed-download')
  await button('Download base.en').click()
  await page.getByText('The speech model is installed.').waitFor()
  check((await said.count()) === 0, 'the failure is still shown')
  const used = (await ask('GET', '/models')).items.filter((m) => m.active).map((m) => m.name)
  check(used.join() === 'base.en', `the models in use are ${used}`)
  await look('downloaded')
}

let network
async function limitUpload(uploadThroughput) {
  network ??= await page.context().newCDPSession(page)
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput,
  })
}

async function exportDuringUpload() {
  const { uuid } = await ask('POST', '/projects/', { name: 'Two parts' })
  const clips = async () => (await ask('GET', `/projects/${uuid}/clips/`)).items
  const exported = async () => (await ask('GET', `/projects/${uuid}/exports/`)).items[0]
  await page.goto(new URL(`/projects/${uuid}`, launchURL).href)
  const field = page.getByLabel('Recordings to add').first()
  await field.setInputFiles({ name: 'first.mp4', mimeType: 'video/mp4', buffer: readFileSync(video) })
  await page.getByTestId('total-original').waitFor()
  await limitUpload(statSync(video).size / 40) // longer than the steps before the export take
  await page.getByRole('tab', { name: /Clips/ }).click()
  await field.setInputFiles({ name: 'second.mp4', mimeType: 'video/mp4', buffer: readFileSync(video) })
  await button('Export').first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 clip is still being read').waitFor()
  check(await dialog.getByRole('radio', { name: 'Wait' }).isChecked(), 'the export would leave the clip out')
  await dialog.getByText('The export starts when all clips are read.').waitFor()
  await look('export-during-upload')
  await dialog.getByRole('button', { name: 'Export', exact: true }).click()
  check((await until('the export exists', exported)).waits_for_clips, 'the export does not wait for the clip')
  await page.getByText('Starts when all clips are read', { exact: true }).waitFor()
  await look('waiting-export')
  await limitUpload(-1)
  await until('the export is complete', async () => (await exported()).status === 'completed')
  await page.getByRole('button', { name: 'Download' }).first().waitFor()
  return { clips: (await clips()).map((c) => c.duration_ms), exported: (await exported()).duration_ms }
}

await run(async () => {
  await failedDownload()
  return exportDuringUpload()
})
