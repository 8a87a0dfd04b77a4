import { describe, expect, it } from 'vitest'
import {
  wordsCut,
  moreSentences,
  pausesBefore,
  sentenceAt,
  findWords,
  footageOfWords,
  hitsToChange,
  indexWords,
  insidePunctuation,
  wordStates,
  paragraphs,
  textWithin,
  titleAt,
  wordAt,
  wordsWithin,
} from './words'

const words = [
  { text: 'Hello', start_ms: 100, end_ms: 400 },
  { text: 'there.', start_ms: 450, end_ms: 900 },
  { text: 'So', start_ms: 1500, end_ms: 1700 },
  { text: 'today', start_ms: 1720, end_ms: 2100 },
  { text: 'we', start_ms: 4000, end_ms: 4100 },
]

it('a chapter is titled by the sentence that begins there and stays in the video', () => {
  expect(titleAt(words, [], 0)).toBe('Hello there')
  expect(titleAt(words, [], 1000)).toBe('So today we')
  expect(titleAt(words, [{ startMs: 1400, endMs: 2200 }], 1000)).toBe('We')
  expect(titleAt(words, [], 4500)).toBe('')
  expect(titleAt([{ text: 'later', start_ms: 20_000, end_ms: 20_300 }], [], 0)).toBe('')
})

describe('paragraphs', () => {
  it('start after a sentence with a pause and after a long pause', () => {
    expect(paragraphs(words).map((p) => [p.from, p.to, p.startMs])).toEqual([
      [0, 2, 100],
      [2, 4, 1500],
      [4, 5, 4000],
    ])
  })

  it('have a maximum length', () => {
    const many = Array.from({ length: 500 }, (_, i) => ({ text: 'a', start_ms: i * 100, end_ms: i * 100 + 90 }))
    const got = paragraphs(many)
    expect(Math.max(...got.map((p) => p.to - p.from))).toBe(90)
    expect(got.at(-1)!.to).toBe(500)
  })

  it('start with the name when another speaker talks', () => {
    const said = ['Ada', 'Ada', 'Bo', undefined, 'Bo'].map((speaker, i) => ({
      text: 'a',
      start_ms: i * 100,
      end_ms: i * 100 + 90,
      ...(speaker ? { speaker } : {}),
    }))

    expect(paragraphs(said).map((p) => [p.from, p.to, p.speaker])).toEqual([
      [0, 2, 'Ada'],
      [2, 3, 'Bo'],
      [3, 4, null],
      [4, 5, 'Bo'],
    ])

    const paused = paragraphs([said[0]!, { ...said[1]!, start_ms: 9000, end_ms: 9100 }])
    expect(paused.map((p) => p.speaker)).toEqual(['Ada', null])
  })

  it('are empty without words', () => expect(paragraphs([])).toEqual([]))
})

describe('cut words', () => {
  it('have lost more than half', () => {
    expect(
      wordsCut(words, [
        { startMs: 260, endMs: 700 },
        { startMs: 1600, endMs: 1750 },
      ]),
    ).toEqual([false, true, false, false, false])
  })

  it('count overlapping cuts once', () => {
    expect(
      wordsCut(words, [
        { startMs: 100, endMs: 220 },
        { startMs: 100, endMs: 240 },
      ])[0],
    ).toBe(false)

    expect(
      wordsCut(words, [
        { startMs: 1500, endMs: 1720 },
        { startMs: 1700, endMs: 5000 },
      ]),
    ).toEqual([false, false, true, true, true])
  })
})

describe('finding words', () => {
  it('by time', () => {
    expect([0, 100, 420, 450, 99_999].map((ms) => wordAt(words, ms))).toEqual([-1, 0, 0, 1, 4])
  })

  it('within a span', () => {
    expect(textWithin(words, { startMs: 440, endMs: 2200 })).toBe('there. So today')
    expect(textWithin(words, { startMs: 0, endMs: 9000 }, 4)).toBe('Hello there. … today we')
  })
})

describe('the footage of words', () => {
  it('includes the shorter pause, so that one pause stays', () => {
    expect(footageOfWords(words, 1, 1, 5000)).toEqual({ startMs: 440, endMs: 900 })
    expect(footageOfWords(words, 2, 3, 5000)).toEqual({ startMs: 940, endMs: 2100 })
    expect(footageOfWords(words, 4, 4, 4300)).toEqual({ startMs: 4000, endMs: 4260 })
  })

  it('maps back to the same words', () => {
    for (const [a, b] of [
      [0, 0],
      [1, 3],
      [2, 4],
      [0, 4],
    ] as const) {
      expect(wordsWithin(words, footageOfWords(words, a, b, 5000))).toEqual({ from: a, to: b + 1 })
    }

    expect(wordsWithin(words, { startMs: 2200, endMs: 3900 })).toEqual({ from: 4, to: 4 })
    expect(wordsWithin([], { startMs: 0, endMs: 1 })).toEqual({ from: 0, to: 0 })
  })
})

describe('a search in the transcript', () => {
  const index = indexWords([
    ...words,
    { text: 'Café,', start_ms: 4200, end_ms: 4300 },
    { text: 'we', start_ms: 4400, end_ms: 4500 },
  ])

  it('ignores case, accents and punctuation', () => {
    expect(findWords(index, 'THERE so')).toEqual([{ from: 1, to: 3, whole: true }])
    expect(findWords(index, 'cafe')).toEqual([{ from: 5, to: 6, whole: true }])
    expect(findWords(index, 'we')).toEqual([
      { from: 4, to: 5, whole: true },
      { from: 6, to: 7, whole: true },
    ])

    expect(findWords(index, 'oda')).toEqual([{ from: 3, to: 4, whole: false }])
  })

  it('tells vowel signs apart', () => {
    const hindi = indexWords([
      { text: 'मेरी', start_ms: 0, end_ms: 200 },
      { text: 'मेरा', start_ms: 200, end_ms: 400 },
    ])

    expect(findWords(hindi, 'मेरा')).toEqual([{ from: 1, to: 2, whole: true }])
  })

  it('leaves longer words out of a change of whole words', () => {
    const said = ['Um', 'summer', 'um,'].map((text, i) => ({ text, start_ms: i * 100, end_ms: i * 100 + 50 }))
    const hits = findWords(indexWords(said), 'um')
    expect(hits.map((hit) => hit.from)).toEqual([0, 1, 2])
    expect(hitsToChange(hits).map((hit) => hit.from)).toEqual([0, 2])
    expect(hitsToChange(findWords(indexWords(said), 'umm')).map((hit) => hit.from)).toEqual([1])
  })

  it('finds nothing for an empty query', () => {
    expect(findWords(index, ' ,. ')).toEqual([])
    expect(findWords(index, 'elephant')).toEqual([])
  })
})

it.each([
  ['channel.', 'channel'],
  ['“So, what?”', 'So, what'],
  ['¿Qué?', 'Qué'],
  ['C++', 'C++'],
  ['(3.5)', '3.5'],
  ['…', '…'],
  ['', ''],
])('a correction of %j starts with %j', (words, selected) => {
  expect(words.slice(...insidePunctuation(words))).toBe(selected)
})

it('words refer to the false start that contains them, active or not', () => {
  const part = {
    uuid: 'f',
    type: 'false_start' as const,
    start_ms: 1490,
    end_ms: 2110,
    active: false,
    reason: 'repeated',
  }

  const states = wordStates(words, [
    part,
    { ...part, uuid: 's', type: 'silence', start_ms: 0, end_ms: 900, active: true },
  ])

  expect(states.map((m) => [m.cut, m.part?.uuid ?? null])).toEqual([
    [true, null],
    [true, null],
    [false, 'f'],
    [false, 'f'],
    [false, null],
  ])
})

it('muted words are not cut', () => {
  const mute = { uuid: 'm', type: 'manual', reason: '', start_ms: 1500, end_ms: 2100, active: true } as const
  const cut = { ...mute, uuid: 'c', start_ms: 1710 }
  const states = wordStates(words, [{ ...mute, action: 'mute' }, cut])
  expect(states.map((m) => [m.cut, m.muted])).toEqual([
    [false, false],
    [false, false],
    [false, true],
    [true, false],
    [false, false],
  ])
})

describe('a sentence', () => {
  it('ends with its punctuation or before a long pause', () => {
    expect(words.map((_, i) => sentenceAt(words, i))).toEqual([
      { first: 0, last: 1 },
      { first: 0, last: 1 },
      { first: 2, last: 3 },
      { first: 2, last: 3 },
      { first: 4, last: 4 },
    ])
  })

  it('completes a selection, and the next one extends it', () => {
    expect(moreSentences(words, { anchor: 1, focus: 1 }, 1)).toEqual({ first: 0, last: 1 })
    expect(moreSentences(words, { anchor: 0, focus: 1 }, 1)).toEqual({ first: 0, last: 3 })
    expect(moreSentences(words, { anchor: 3, focus: 2 }, -1)).toEqual({ first: 0, last: 3 })
    expect(moreSentences(words, { anchor: 4, focus: 4 }, 1)).toEqual({ first: 4, last: 4 })
  })
})

it('pauses have their length and what stays of them', () => {
  const edit = { uuid: 's', type: 'silence' as const, start_ms: 2200, end_ms: 3900, active: true }
  expect(pausesBefore(words, [edit, { ...edit, uuid: 'x', start_ms: 900, end_ms: 1500, active: false }], 4200)).toEqual(
    [
      null,
      null,
      { startMs: 900, endMs: 1500, keptMs: 600, cut: false },
      null,
      { startMs: 2100, endMs: 4000, keptMs: 200, cut: true },
      null,
    ],
  )

  expect(pausesBefore(words, [], 9000).at(-1)).toEqual({ startMs: 4100, endMs: 9000, keptMs: 4900, cut: false })
  expect(pausesBefore([], [], 9000)).toEqual([])
})
