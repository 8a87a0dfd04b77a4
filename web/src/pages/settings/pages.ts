import { settingsText } from '../../text/settings'
/** The settings pages in the order of the navigation. */
export const SETTINGS_PAGES = [
  { to: '/settings/profile', title: settingsText.pages.profile, admin: false },
  { to: '/settings/security', title: settingsText.pages.security, admin: false },
  { to: '/settings/plan', title: settingsText.pages.subscription, admin: false },
  { to: '/settings/presets', title: settingsText.pages.presets, admin: false },
  { to: '/settings/words', title: settingsText.pages.words, admin: false },
  { to: '/settings/models', title: settingsText.pages.models, admin: false },
  { to: '/settings/storage', title: settingsText.pages.storage, admin: false },
  { to: '/settings/appearance', title: settingsText.pages.appearance, admin: false },
  { to: '/settings/help', title: settingsText.pages.help, admin: false },
  { to: '/settings/people', title: settingsText.pages.people, admin: true },
  { to: '/settings/mail', title: settingsText.pages.mail, admin: true },
  { to: '/settings/server', title: settingsText.pages.server, admin: true },
] as const

export type SettingsPage = (typeof SETTINGS_PAGES)[number]
export type SettingsPath = SettingsPage['to']
