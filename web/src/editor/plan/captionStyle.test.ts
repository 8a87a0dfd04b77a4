import { describe, expect, it } from 'vitest'
import {
  breakRows,
  CAPTION_STYLES,
  captionColors,
  drawnColor,
  fitCaption,
  FONTS,
  resolveStyle,
  textBox,
  withStyle,
  type CaptionOptions,
} from './captionStyle'

describe('captions', () => {
  const each = (text: string) => [...text].length * 10
  const rows = (text: string, width: number) => breakRows(text, width, each).map((r) => text.slice(r.from, r.to))

  it('break into even rows and at line breaks', () => {
    expect(rows('aaaa bbbb cccc dd', 160)).toEqual(['aaaa bbbb', 'cccc dd'])
    expect(rows('aaaa bbbb\ncc', 1000)).toEqual(['aaaa bbbb', 'cc'])
    expect(rows('unbreakable', 20)).toEqual(['unbreakable'])
  })

  const options: CaptionOptions = { style: 'classic', font_size: 0, position: 'bottom', color: '#ffffff', font: '' }
  const frame = { width: 1280, height: 720 }

  it('stay in the frame: overlong words are broken, and too many rows shrink the text', () => {
    const style = resolveStyle({ ...options, font_size: 120 }, frame)
    const measure = (t: string) => [...t].length * style.size * 0.6
    const fitted = fitCaption('w'.repeat(490), style, frame, measure)
    expect(fitted.style.size).toBeLessThan(style.size)
    expect(fitted.text.replaceAll('\n', '')).toBe('w'.repeat(490))
    const box = textBox(fitted, frame)
    expect(box.top).toBeGreaterThanOrEqual(0)
    expect(box.left).toBeGreaterThanOrEqual(style.side - 1)
  })

  it('offer the colors that they are drawn in', () => {
    for (const { name: style, highlight, box } of CAPTION_STYLES) {
      const drawn = (color: string) => {
        const { color: text, accent } = resolveStyle({ ...options, style, color }, frame)
        return highlight !== 'none' || box === 'rows' ? accent : text
      }

      expect(captionColors(style)).toContain(drawnColor({ style, color: '#ffffff' }))
      for (const color of captionColors(style)) expect([style, drawn(color)]).toEqual([style, color])
      for (const color of ['#ffffff', '#FFFFFF', '#12ab34']) expect(drawn(color)).toBe(drawnColor({ style, color }))
    }

    expect(drawnColor({ style: 'karaoke', color: '#ffffff' })).toBe('#ffd60a')
    expect(drawnColor({ style: 'classic', color: '#ffffff' })).toBe('#ffffff')
  })

  it('stay clear of the controls that phones show over portrait video', () => {
    expect(resolveStyle(options, { width: 720, height: 1280 }).edgeDistance).toBe(204)
    expect(resolveStyle(options, frame).edgeDistance).toBe(50)
  })

  it('resolve every style of the table', () => {
    for (const { name, highlight, font } of CAPTION_STYLES) {
      expect(resolveStyle({ ...options, style: name }, frame).highlight).toBe(highlight)
      expect(FONTS.map((f) => f.family)).toContain(font)
    }
  })

  it('have readable text on their boxes', () => {
    const on = (color: string) => resolveStyle({ ...options, style: 'label', color }, frame).color
    expect([on('#ffffff'), on('#ffd60a'), on('#102080')]).toEqual(['#000000', '#000000', '#ffffff'])
  })

  it('take the position of a new style, unless the person has chosen another', () => {
    expect(withStyle(options, 'one_word')).toEqual({ ...options, style: 'one_word', position: 'middle' })
    expect(withStyle({ ...options, style: 'one_word', position: 'middle' }, 'bold').position).toBe('bottom')
    expect(withStyle({ ...options, position: 'top' }, 'one_word').position).toBe('top')
  })

  it('start at the left margin in a style that is aligned left', () => {
    const style = resolveStyle({ ...options, style: 'lower_third' }, frame)
    const fitted = fitCaption('left', style, frame, each)
    expect(textBox(fitted, frame).left).toBe(76)
    expect(textBox({ ...fitted, style: { ...style, align: 'center' } }, frame).left).toBe(620)
  })
})
