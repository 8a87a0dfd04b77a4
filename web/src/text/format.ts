// Numbers, sizes, dates and durations for messages. Digits and dates follow the browser's locale.
// Plural forms, lists, durations and relative times have words, so they follow the language of the texts.

/** The language of the texts in this folder. */
const TEXT_LANGUAGE = 'en'

/** The forms of a message for each plural category of its language; `#` stands for the number. Never put user input in one. */
export type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

/** The locale of a browser that names none, or one that Intl refuses. */
const DEFAULT_LOCALE = 'en-US'

/** The browser's locale. WebKit names "C" on systems without a language. */
export function browserLocale(): string {
  try {
    return Intl.getCanonicalLocales(globalThis.navigator?.language)[0] ?? DEFAULT_LOCALE
  } catch {
    return DEFAULT_LOCALE
  }
}

/** Makes a value at its first use. A formatter loads the data of its locale, and all of them together hold up the first page. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** Returns the formatters for a locale that Intl accepts. */
export function formatsFor(locale: string) {
  const plurals = once(() => new Intl.PluralRules(TEXT_LANGUAGE))
  const lists = once(() => new Intl.ListFormat(TEXT_LANGUAGE, { type: 'conjunction' }))
  const ages = once(() => new Intl.RelativeTimeFormat(TEXT_LANGUAGE, { numeric: 'auto' }))
  const dates = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }))
  const times = once(() => new Intl.DateTimeFormat(locale, { timeStyle: 'short' }))
  const datesAndTimes = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }))
  const percents = once(() => new Intl.NumberFormat(locale, { style: 'percent' }))

  /** A number with at most this many decimals: 1,234 or 0.5. */
  const number = (n: number, maxDecimals = 0) => n.toLocaleString(locale, { maximumFractionDigits: maxDecimals })

  const fixed = (n: number, decimals: number) =>
    n.toLocaleString(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals })

  /** The form of a message that fits a number: plural(2, { one: '# cut', other: '# cuts' }) is "2 cuts". */
  const plural = (n: number, forms: PluralForms) =>
    (forms[plurals().select(n)] ?? forms.other).replaceAll('#', () => number(n, 2))

  /** Items in a sentence: "a", "a and b", "a, b, and c". */
  const list = (items: Iterable<string>) => lists().format(items)

  /** A part of a whole without decimals: percent(33) and percent(1, 3) are "33%"; nothing of nothing is "0%". */
  const percent = (part: number, whole = 100) => percents().format(whole > 0 ? part / whole : 0)

  /** A size in binary units, as tiers count them: 512 B, 3.4 MB. */
  const bytes = (size: number) => {
    let value = size
    let unit = 0
    while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
      value /= 1024
      unit++
    }

    return `${fixed(value, unit === 0 || value >= 99.95 ? 0 : 1)} ${BYTE_UNITS[unit]}`
  }

  /** A duration in prose: 0.84 s, 12.5 s, 1 min 24 s, 1 h 5 min. It has a point, like time codes and reasons of the server. */
  const duration = (ms: number) => {
    if (ms < 10_000) return `${(ms / 1000).toFixed(2)} s`
    if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
    const s = Math.round(ms / 1000)
    if (s < 3600) return s % 60 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${s / 60} min`
    const minutes = Math.round(s / 60)
    const hours = `${number(Math.floor(minutes / 60))} h`
    return minutes % 60 ? `${hours} ${minutes % 60} min` : hours
  }

  /** An estimated duration in whole seconds, at least one: 20 s, 3 min 20 s. */
  const roughDuration = (ms: number) => {
    const s = Math.max(Math.round(ms / 1000), 1)
    return s < 60 ? `${s} s` : duration(s * 1000)
  }

  /** A date, from an ISO time: Feb 7, 2026. */
  const date = (iso: string) => dates().format(new Date(iso))

  /** A time of day, from an ISO time: 2:05 PM. */
  const time = (iso: string) => times().format(new Date(iso))

  /** A date with its time of day, from an ISO time. */
  const dateTime = (iso: string) => datesAndTimes().format(new Date(iso))

  /** A past ISO time as seen from now (ms since the epoch): "this minute", "5 minutes ago", "yesterday"; after 30 days a date. */
  const relativeTime = (iso: string, now = Date.now()) => {
    const minutes = Math.max(Math.round((now - Date.parse(iso)) / 60_000), 0)
    if (minutes < 60) return ages().format(-minutes, 'minute')
    const hours = Math.round(minutes / 60)
    if (hours < 24) return ages().format(-hours, 'hour')
    const days = Math.round(hours / 24)
    return days < 30 ? ages().format(-days, 'day') : date(iso)
  }

  /** An amount in the smallest unit of its currency: $19.00, ¥500. */
  const money = (amount: number, currency: string) => {
    const format = new Intl.NumberFormat(locale, { style: 'currency', currency: currency.toUpperCase() })
    return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
  }

  return { number, plural, list, percent, bytes, duration, roughDuration, date, time, dateTime, relativeTime, money }
}

export const {
  number,
  plural,
  list,
  percent,
  bytes,
  duration,
  roughDuration,
  date,
  time,
  dateTime,
  relativeTime,
  money,
} = formatsFor(browserLocale())

const languageNames = once(() => new Intl.DisplayNames([TEXT_LANGUAGE], { type: 'language' }))

/** The English name of a language by its ISO 639-1 or 639-2 code: "German" for de, deu and ger. Others stay codes. */
export function languageName(code: string): string {
  try {
    return languageNames().of(code) ?? code
  } catch {
    return code // not of the form of a code
  }
}

/** A part of a whole as a whole number from 0 to 100, for progress bars; 0 for nothing of nothing. */
export const wholePercent = (part: number, whole: number) => (whole > 0 ? Math.round((100 * part) / whole) : 0)
