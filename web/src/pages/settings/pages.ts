/** The pages of the settings, in the order of the navigation. */
export const SETTINGS_PAGES = [
  { to: '/settings/profile', title: 'Profile', admin: false },
  { to: '/settings/security', title: 'Security', admin: false },
  { to: '/settings/plan', title: 'Plan', admin: false },
  { to: '/settings/presets', title: 'Presets', admin: false },
  { to: '/settings/words', title: 'Words', admin: false },
  { to: '/settings/models', title: 'Speech models', admin: false },
  { to: '/settings/storage', title: 'Storage', admin: false },
  { to: '/settings/appearance', title: 'Appearance', admin: false },
  { to: '/settings/help', title: 'Help', admin: false },
  { to: '/settings/people', title: 'People', admin: true },
  { to: '/settings/mail', title: 'Mail', admin: true },
  { to: '/settings/server', title: 'Server', admin: true },
] as const

export type SettingsPath = (typeof SETTINGS_PAGES)[number]['to']
