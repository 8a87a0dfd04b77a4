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
const begun = { uuid: 'a', url: 'u', content_type: 'video/mp4' }

test('a file is known again where it was going, and nowhere else', () => {
  const storage = memory()
  storeUpload(storage, { place: 'project', file }, begun)
  expect(loadUpload(storage, { place: 'project', file: { ...file } })).toEqual(begun)
  expect(loadUpload(storage, { place: 'library', file })).toBeNull()
  expect(loadUpload(storage, { place: 'project', file: { ...file, lastModified: 6 } })).toBeNull()
  storeUpload(storage, { place: 'project', file }, null)
  expect(loadUpload(storage, { place: 'project', file })).toBeNull()
})

test('only the last ones are kept, and what cannot be read is nothing', () => {
  const storage = memory()
  for (let i = 0; i < 30; i++) storeUpload(storage, { place: 'p', file: { ...file, size: i } }, begun)
  expect(loadUpload(storage, { place: 'p', file: { ...file, size: 9 } })).toBeNull()
  expect(loadUpload(storage, { place: 'p', file: { ...file, size: 10 } })).toEqual(begun)
  storage.setItem('roughcut.uploads', '{not json')
  expect(loadUpload(storage, { place: 'p', file })).toBeNull()
})
