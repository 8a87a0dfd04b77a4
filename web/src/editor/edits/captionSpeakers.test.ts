import { describe, expect, it } from 'vitest'
import type { CaptionLine } from '../../api/captions'
import { knownSpeakers, speakerOf } from './captionSpeakers'

const word = (start_ms: number, end_ms: number, speaker?: string) => ({ text: 'x', start_ms, end_ms, speaker })
const line = (speaker?: string): CaptionLine => ({
  uuid: 'l',
  text: 'x',
  original_text: 'x',
  sequence: 1,
  start_ms: 0,
  end_ms: 1000,
  created_at: '',
  updated_at: '',
  speaker,
})

describe('the speakers of captions', () => {
  it('offers the names of the transcript and of other captions, each once', () =>
    expect(
      knownSpeakers([line('Zoe'), line('Ada'), line()], [word(0, 100, 'Ada'), word(100, 200, 'Bob'), word(200, 300)]),
    ).toEqual(['Ada', 'Bob', 'Zoe']))

  it('finds who says most of the words of a line', () => {
    expect(speakerOf(line(), [word(0, 200, 'Ada'), word(200, 900, 'Bob'), word(1000, 9000, 'Ada')])).toBe('Bob')
    expect(speakerOf(line(), [word(0, 200), word(2000, 2100, 'Ada')])).toBe('')
  })
})
