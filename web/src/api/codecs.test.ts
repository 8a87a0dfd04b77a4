import { expect, it } from 'vitest'
import { unreadableCodec } from './codecs'

const bytes = (...parts: (string | number[])[]) =>
  new Blob(parts.map((p) => new Uint8Array(typeof p === 'string' ? [...p].map((c) => c.charCodeAt(0)) : p)))

const zeros = (n: number) => Array.from({ length: n }, () => 0)
const asf = (codec: string) =>
  bytes(
    [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11],
    zeros(200),
    [0xc0, 0xef, 0x19, 0xbc, 0x4d, 0x5b, 0xcf, 0x11, 0xa8, 0xfd, 0x00, 0x80, 0x5f, 0x5c, 0x44, 0x2b],
    zeros(65),
    codec,
  )

const avi = (codec: string) =>
  bytes('RIFF', zeros(4), 'AVI LIST', zeros(30), 'strh', zeros(4), 'vids', zeros(40), 'strf', zeros(20), codec)

// The header, a tag with metadata of 5 bytes, and a tag with video.
const flv = (codec: number) =>
  bytes(
    'FLV',
    [1, 5, 0, 0, 0, 9, 0, 0, 0, 0],
    [18, 0, 0, 5, ...zeros(7), ...zeros(5), 0, 0, 0, 16],
    [9, 0, 0, 9, ...zeros(7), 16 + codec],
  )

it.each([
  ['Windows Media Video 9', asf('WMV3')],
  ['VC-1', asf('WVC1')],
  [null, asf('WMV2')],
  ['Microsoft MPEG-4 version 3 (DivX 3)', avi('div3')],
  [null, avi('HFYU')],
  ['Sorenson Spark', flv(2)],
  [null, flv(7)],
  [null, bytes('FLV')],
  [null, bytes([0x30, 0x26])],
  [null, bytes()],
])('finds %s in the head of a file', async (codec, file) => {
  expect(await unreadableCodec(file)).toBe(codec)
})
