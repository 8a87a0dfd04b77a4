import { expect, it } from 'vitest'
import { sortFiles } from './filetypes'

it('tells recordings from images and from files that a project cannot use', () => {
  const files = [
    { name: 'talk.MTS', type: '' },
    { name: 'voice.m4a', type: 'audio/x-m4a' },
    { name: 'recorded', type: 'video/webm' },
    { name: 'train.png', type: 'image/png' },
    { name: 'ggml-base.bin', type: 'application/octet-stream' },
    { name: 'movie.flv', type: 'video/x-flv' },
  ]

  const { recordings, images, others } = sortFiles(files)
  expect(recordings.map((f) => f.name)).toEqual(['talk.MTS', 'voice.m4a', 'recorded'])
  expect(images.map((f) => f.name)).toEqual(['train.png'])
  expect(others.map((f) => f.name)).toEqual(['ggml-base.bin', 'movie.flv'])
})
