import { languageName } from '../../text/format'
import { presetsText } from '../../text/presets'

export { languageName }

// ISO 639-1 codes of the languages that speech models recognize best.
const SPEECH_LANGUAGES = [
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

/** Returns the options for the spoken language: automatic detection, then all languages. They always include `current`. */
export function languageOptions(current: string | null): { value: string; label: string }[] {
  const codes =
    current === null || SPEECH_LANGUAGES.includes(current) ? SPEECH_LANGUAGES : [...SPEECH_LANGUAGES, current]

  const list = codes
    .map((value) => ({ value, label: languageName(value) }))
    .sort((a, b) => a.label.localeCompare(b.label))

  return [{ value: '', label: presetsText.detectLanguage }, ...list]
}
