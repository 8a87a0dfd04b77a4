import { expect, it } from 'vitest'
import { exportText } from '../../text/editor/export'
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

  expect(renderNotes(made)).toEqual(['Original quality. Checked against your recording.'])
  expect(renderNotes({ ...made, copied_frames: 20, encoded_frames: 80 })).toEqual([
    '20% copied, the rest re-encoded. Checked against your recording.',
  ])

  const resized = 'the export is 1080×1920, the recording is 1280×720'
  expect(renderNotes({ ...made, copied_frames: 0, encoded_because: resized, verified_parts: 0 })).toEqual([
    `Re-encoded: ${resized}`,
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

it('says how much of a mostly copied export is encoded', () => {
  const estimate = {
    method: 'copy' as const,
    render_ms: 7200,
    size_bytes: 113_400_000,
    duration_ms: 40_000,
    width: 1920,
    height: 1080,
    frame_rate: 25,
    clips_differ: false,
    copied_frames: 960,
    encoded_frames: 40,
  }

  expect(exportText.estimate(estimate)).toMatch(/^Copied, about 7 /)
  expect(exportText.estimate({ ...estimate, copied_frames: 880, encoded_frames: 120 })).toMatch(
    /^Copied, 12\s?% re-encoded, about 7 /,
  )

  expect(exportText.estimate({ ...estimate, method: 'mixed', copied_frames: 400, encoded_frames: 600 })).toMatch(
    /^40\s?% copied, the rest re-encoded, about 7 /,
  )
})
