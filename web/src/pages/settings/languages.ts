// The languages that the speech models know best, by their codes.
const CODES = [
  'ar',
  'bg',
  'ca',
  'cs',
  'da',
  'de',
  'el',
  'en',
  'es',
  'et',
  'fi',
  'fr',
  'he',
  'hi',
  'hr',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'lt',
  'lv',
  'ms',
  'nl',
  'no',
  'pl',
  'pt',
  'ro',
  'ru',
  'sk',
  'sl',
  'sv',
  'th',
  'tr',
  'uk',
  'vi',
  'zh',
]

const names = new Intl.DisplayNames(['en'], { type: 'language' })

export function languageName(code: string): string {
  try {
    return names.of(code) ?? code
  } catch {
    return code // not a code that the browser understands
  }
}

/** What a preset can be set to: to find out by itself, or one of the languages; `present` is among them whatever it is. */
export function languageOptions(present: string | null): { value: string; label: string }[] {
  const codes = present === null || CODES.includes(present) ? CODES : [...CODES, present]
  const list = codes
    .map((value) => ({ value, label: languageName(value) }))
    .sort((a, b) => a.label.localeCompare(b.label))
  return [{ value: '', label: 'Find out by listening' }, ...list]
}
