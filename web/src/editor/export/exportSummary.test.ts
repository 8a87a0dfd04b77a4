import { expect, it } from 'vitest'
import { renderNotes, retentionNote } from './exportSummary'

it('notes how a finished export was rendered', () => {
  const made = {
    copied_frames: 90,
    encoded_frames: 10,
    kept_frames: 0,
    encoded_because: null,
    verified_parts: 1,
    repeated_because: null,
    video_codec: 'h264' as const,
    h264_because: null,
    video_encoder: 'x264',
    software_because: null,
    render_ms: 1200,
  }

  expect(renderNotes(made)).toEqual([
    '90% of the video was copied losslessly.',
    '1 chunk was compared with the recording.',
  ])

  expect(renderNotes({ ...made, verified_parts: 0, video_codec: 'hevc' })).toContain(
    'The video is HEVC, like the recording.',
  )

  expect(renderNotes({ ...made, h264_because: 'the frame size changes' })).toContain(
    'The video is H.264 because it could not stay HEVC: the frame size changes',
  )

  expect(renderNotes({ ...made, copied_frames: 0, video_encoder: 'nvenc' })).toContain(
    'The hardware encoder nvenc encoded the video.',
  )

  expect(renderNotes({ ...made, software_because: 'the encoder nvenc failed: no memory' })).toContain(
    'x264 encoded the video in software: the encoder nvenc failed: no memory',
  )

  expect(renderNotes({ ...made, audio_over_db: 14.2 })).toContain(
    'The audio exceeded full scale by 14.2 dB and was lowered, so that nothing is clipped.',
  )

  expect(retentionNote('2026-01-11T00:00:00Z', Date.parse('2026-01-01T12:00:00Z'))).toBe(
    'The file is kept for 10 more days.',
  )
})
