import { expect, it } from 'vitest'
import { contentTypeOf, recordingsOfFolder, sortFiles } from './filetypes'

it('tells recordings from images and from files that a project cannot use', () => {
  const files = [
    { name: 'talk.MTS', type: '' },
    { name: 'voice.m4a', type: 'audio/x-m4a' },
    { name: 'recorded', type: 'video/webm' },
    { name: 'train.png', type: 'image/png' },
    { name: 'ggml-base.bin', type: 'application/octet-stream' },
    { name: 'movie.rm', type: 'application/vnd.rn-realmedia' },
    { name: 'camera.mxf', type: '' },
  ]

  const { recordings, images, others } = sortFiles(files)
  expect(recordings.map((f) => f.name)).toEqual(['talk.MTS', 'voice.m4a', 'recorded', 'camera.mxf'])
  expect(images.map((f) => f.name)).toEqual(['train.png'])
  expect(others.map((f) => f.name)).toEqual(['ggml-base.bin', 'movie.rm'])
})

it('takes other names of a type, and unknown types, for the usual type', () => {
  expect(contentTypeOf({ name: 'recorded', type: 'video/matroska;codecs=avc1' })).toBe('video/x-matroska')
  expect(contentTypeOf({ name: 'talk.ts', type: 'text/vnd.trolltech.linguist' })).toBe('video/mp2t')
  expect(contentTypeOf({ name: 'notes', type: 'text/plain' })).toBe('')
})

it('takes the recordings of a folder in their natural order, without hidden files', () => {
  const names = ['talk 10.mp4', 'notes.txt', 'cover.png', '._talk 1.mp4', 'talk 2.mp4', 'Talk 1.MOV']
  expect(recordingsOfFolder(names.map((name) => ({ name, type: '' }))).map((f) => f.name)).toEqual([
    'Talk 1.MOV',
    'talk 2.mp4',
    'talk 10.mp4',
  ])
})
