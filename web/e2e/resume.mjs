// Uploads a file as the page uploads large files: in chunks, resuming after a lost connection. Prints one JSON object.
// A failed upload exits with 1 and a message.
//
// Environment:
//   UPLOAD_URL  the upload address
//   FILE        path of the file
import { readFileSync } from 'node:fs'
import { createServer } from 'vite'

globalThis.document = { baseURI: new URL('/', process.env.UPLOAD_URL).href }
const vite = await createServer({
  root: new URL('..', import.meta.url).pathname,
  server: { middlewareMode: true, hmr: false, ws: false },
  appType: 'custom',
  logLevel: 'error',
  optimizeDeps: { noDiscovery: true },
})
let losses = 0
let waiting = false
let sent = 0
try {
  const { resume } = await vite.ssrLoadModule('/src/api/send.ts')
  await resume(process.env.UPLOAD_URL, readFileSync(process.env.FILE), new AbortController().signal, {
    onProgress: (bytes) => (sent = bytes),
    onWaiting: (now) => {
      if (now && !waiting) losses++
      waiting = now
    },
  })
  console.log(JSON.stringify({ losses, sent, waiting }))
} catch (error) {
  console.error(`${error.status} ${error.code} ${error.message}`)
  process.exitCode = 1
} finally {
  await vite.close()
}
