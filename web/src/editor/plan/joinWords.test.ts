import { expect, test } from 'vitest'
import { joinWords } from './joinWords'

test('words are joined as their scripts are', () => {
  for (const [words, want] of [
    ['so today we', 'so today we'],
    ['今 天 很 好。 你 呢', '今天很好。你呢'],
    ['コン ピ ュー タ', 'コンピュータ'],
    ['これ は Google の AI です 。', 'これはGoogleのAIです。'],
    ['Google Cloud を', 'Google Cloudを'],
    ['3 月 5 日', '3月5日'],
    ['彼 は 「 はい 」 と', '彼は「はい」と'],
    ['오늘은 날씨가 좋다', '오늘은 날씨가 좋다'],
    ['สวัสดี ครับ', 'สวัสดีครับ'],
    ['ใช้ iPhone ใหม่', 'ใช้ iPhone ใหม่'],
    ['so… “what” now', 'so… “what” now'],
    ['yes, 私', 'yes, 私'],
  ] as const)
    expect(joinWords(words.split(' '))).toBe(want)
})

test('a space at the end of a word stays between phrases', () => {
  expect(joinWords(['สวัสดี ', 'ครับ'])).toBe('สวัสดี ครับ')
  expect(joinWords(['你', '好 ', '今', '天 '])).toBe('你好 今天')
  expect(joinWords(['so ', ' today '])).toBe('so today')
})
