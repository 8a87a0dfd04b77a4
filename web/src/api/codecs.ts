// Video codecs that Roughcut does not read, in the heads of files. Anything else is for the server to find out.

/** How much of a file its head is. */
const HEAD_BYTES = 65_536

/** The GUID of video streams in ASF files, after section 10.1 of the ASF specification. */
const ASF_VIDEO = [0xc0, 0xef, 0x19, 0xbc, 0x4d, 0x5b, 0xcf, 0x11, 0xa8, 0xfd, 0x00, 0x80, 0x5f, 0x5c, 0x44, 0x2b]
/** Where the codec is after the start of that GUID: in a BITMAPINFOHEADER. */
const ASF_CODEC = 81
/** Where the codec is after the start of the `strf` chunk of a video stream in an AVI file: in the same header. */
const AVI_CODEC = 24

const FOURCCS: Record<string, string> = {
  WMV3: 'Windows Media Video 9',
  WMVP: 'Windows Media Video 9 Image',
  WVP2: 'Windows Media Video 9 Image',
  WMVA: 'VC-1',
  WVC1: 'VC-1',
  MSS1: 'Windows Media Screen 7',
  MSS2: 'Windows Media Screen 9',
  MPG4: 'Microsoft MPEG-4 version 1',
  MP42: 'Microsoft MPEG-4 version 2',
  MP43: 'Microsoft MPEG-4 version 3 (DivX 3)',
  DIV3: 'Microsoft MPEG-4 version 3 (DivX 3)',
  CRAM: 'Microsoft Video 1',
  MSVC: 'Microsoft Video 1',
  CVID: 'Cinepak',
  IV32: 'Intel Indeo 3',
  IV41: 'Intel Indeo 4',
  IV50: 'Intel Indeo 5',
  TSCC: 'TechSmith Screen Capture',
  TSC2: 'TechSmith Screen Codec 2',
  ZMBV: 'Zip Motion Blocks Video',
  LAGS: 'Lagarith',
  MAGY: 'MagicYUV',
  CFHD: 'CineForm',
}

/** Video codecs of FLV tags, after section E.4.3.1 of the FLV specification. */
const FLV_CODECS: Record<number, string> = {
  2: 'Sorenson Spark',
  3: 'Flash Screen Video',
  4: 'On2 VP6',
  5: 'On2 VP6 with transparency',
  6: 'Flash Screen Video 2',
}

/** Finds the name of a file's video codec that Roughcut does not read. Null means that it may be one that it reads. */
export async function unreadableCodec(file: Blob): Promise<string | null> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const text = (at: number, length = 4) => String.fromCharCode(...head.subarray(at, at + length))
  if (text(0, 3) === 'FLV') return FLV_CODECS[flvCodec(head)] ?? null
  if (text(0) === 'RIFF' && text(8) === 'AVI ') {
    const stream = find(head, bytesOf('vids'), 0)
    const format = stream < 0 ? -1 : find(head, bytesOf('strf'), stream)
    return format < 0 ? null : (FOURCCS[text(format + AVI_CODEC).toUpperCase()] ?? null)
  }

  const video = head[0] === 0x30 && head[1] === 0x26 ? find(head, ASF_VIDEO, 0) : -1
  return video < 0 ? null : (FOURCCS[text(video + ASF_CODEC).toUpperCase()] ?? null)
}

const bytesOf = (text: string) => [...text].map((c) => c.charCodeAt(0))

/** Returns where bytes are in a head, from a position on, or -1. */
function find(head: Uint8Array, bytes: readonly number[], from: number): number {
  for (let at = from; at + bytes.length <= head.length; at++) if (bytes.every((b, i) => head[at + i] === b)) return at
  return -1
}

/** Returns the codec of the first video tag of an FLV file, or -1. */
function flvCodec(head: Uint8Array): number {
  const view = new DataView(head.buffer)
  if (head.length < 9) return -1
  for (let at = view.getUint32(5) + 4; at + 12 <= head.length;) {
    const [type, length] = [head[at], view.getUint32(at) & 0xffffff]
    if (type === 9) return (head[at + 11] ?? 0) & 15
    at += 11 + length + 4
  }

  return -1
}
