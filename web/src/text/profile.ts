import { settingsText } from './settings'

export const profileText = {
  you: 'You',
  youHelp: 'Roughcut uses your name on this server and in emails.',
  email: 'Email',
  verified: 'Verified',
  change: 'Change',
  emailHelp: 'You sign in with this address, and Roughcut sends emails about your account to it.',
  linkSent: (email: string) => `We sent a link to ${email}`,
  linkSentHelp:
    'Open the link within 24 hours to change your address. Until then, sign in with the current one. We also notify the current address.',
  askForLink: 'Ask an admin for the link',
  askForLinkHelp: `This server sends no email. Admins find the link in Settings, under ${settingsText.pages.mail}. It changes your address within 24 hours. Until then, sign in with the current one.`,
  signInAgain: 'Sign in again first',
  newEmail: 'New email',
  yourPassword: 'Your password',

  deleteAll: 'Delete everything',
  deleteAllHelp:
    'This account belongs to this computer, and Roughcut needs it. To delete all data, stop Roughcut and delete its data directory.',
  deleteProjectsHelp: 'You can delete single projects on the projects page.',
  deleteAccount: 'Delete account',
  deleteAccountHelp:
    'Immediately and permanently deletes your projects with their clips, cuts and exports, and your assets, presets, tokens and sessions. Your own copies of the recordings do not change.',
  deleteMine: 'Delete my account',
  confirmDelete: 'Delete your account?',
  confirmDeleteHelp:
    'Roughcut cancels running jobs and deletes all your data on this server. It cannot be restored. Download the exports that you want to keep first.',
  deleting: 'Deleting…',
  deleted: 'Your account was deleted',
} as const
