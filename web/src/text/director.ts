// Texts of the AI Director: its switches and its suggestions.

import { plural } from './format'

export const directorText = {
  title: 'AI Director',
  help: 'An analysis suggests assets of your library where you mention them. Suggestions stay out of the video until you accept them.',
  account: 'Suggest assets',
  accountHint: 'When this is off, no analysis of this account suggests assets.',
  project: 'Suggest assets',
  projectHint: 'Suggest pictures and clips where you mention them.',
  projectOff: 'Off for the whole account. Switch it on in the settings, under Presets.',

  suggestions: 'Suggestions',
  count: (n: number) => plural(n, { one: '# suggestion', other: '# suggestions' }),
  mentioned: (words: string) => `“${words}”`,
  acceptAll: 'Accept all',
  acceptSelected: (n: number) => `Accept ${n}`,
  dismissAll: 'Dismiss all',
  dismissSelected: (n: number) => `Dismiss ${n}`,
  accept: (name: string) => `Accept ${name}`,
  dismiss: (name: string) => `Dismiss ${name}`,
  select: (name: string, time: string) => `Select ${name} at ${time}`,
  show: (name: string, time: string) => `Show ${name} at ${time}`,
  changes: {
    accept: (n: number) => plural(n, { one: 'accept # suggestion', other: 'accept # suggestions' }),
    dismiss: (n: number) => plural(n, { one: 'dismiss suggestion', other: 'dismiss # suggestions' }),
  },
} as const
