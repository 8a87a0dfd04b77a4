import { expect, test } from 'vitest'
import { storeUpload, loadUpload } from './resumableUploads'

function memory(): Storage {
  const map = new Map<string, string>()
  return {
    getItem: (k) => map.get(k) ?? null,
    setItem: (k, v) => void map.set(k, v),
    removeItem: (k) => void map.delete(k),
    clear: () => map.clear(),
    key: () => null,
    length: 0,
  }
}

const file = { name: 'talk.mp4', size: 200_000_000, lastModified: 5 }
const started = { uuid: 'a', url: 'u', content_type: 'video/mp4' }

test('an upload is recognized by destination and file', () => {
  const storage = memory()
  storeUpload(storage, { destination: 'project', file }, started)
  expect(loadUpload(storage, { destination: 'project', file: { ...file } })).toEqual(started)
  expect(loadUpload(storage, { destination: 'library', file })).toBeNull()
  expect(loadUpload(storage, { destination: 'project', file: { ...file, lastModified: 6 } })).toBeNull()
  storeUpload(storage, { destination: 'project', file }, null)
  expect(loadUpload(storage, { destination: 'project', file })).toBeNull()
})

test('old uploads are dropped, and unreadable storage is empty', () => {
  const storage = memory()
  for (let i = 0; i < 30; i++) storeUpload(storage, { destination: 'p', file: { ...file, size: i } }, started)
  expect(loadUpload(storage, { destination: 'p', file: { ...file, size: 9 } })).toBeNull()
  expect(loadUpload(storage, { destination: 'p', file: { ...file, size: 10 } })).toEqual(started)
  storage.setItem('roughcut.uploads', '{not json')
  expect(loadUpload(storage, { destination: 'p', file })).toBeNull()
})
