import { plural } from './format'

export const securityText = {
  password: 'Password',
  passwordHelp: 'A new password signs out all other devices and revokes your tokens.',
  noPasswordHelp: 'You have no password. Set one to sign in with your email address as well.',
  currentPassword: 'Current password',
  changePassword: 'Change password',
  setPassword: 'Set password',
  passwordSet: 'Your password has changed',
  passwordSetHelp: 'Roughcut has signed out all other devices and revoked all tokens.',

  providers: 'Other ways to sign in',
  providersHelp: 'To link a provider, sign in with it once. It must have verified the same email address.',
  linked: 'Linked',
  notLinked: 'Not linked',

  devices: 'Devices',
  devicesHelp:
    'A session ends after 30 days without use. If you lose a device, sign out everywhere. This does not revoke tokens.',
  signOutEverywhere: 'Sign out everywhere',
  confirmSignOut: 'Sign out everywhere?',
  confirmSignOutHelp: 'Roughcut signs out all devices within a second, including this one. Running jobs continue.',
  sessionsEnded: (n: number) => plural(n, { one: '# session ended', other: '# sessions ended' }),
  sessionsEndedHelp: 'You are signed out everywhere. Sign in to continue.',

  tokens: 'Access tokens',
  tokensHelp: 'With a token, a program can do everything that you can do here. See the API reference for details.',
  theTokens: 'your access tokens',
  noTokens: 'You have no access tokens.',
  newToken: 'New token',
  tokenName: 'Token name',
  tokenNamePlaceholder: 'Upload script',
  expires: 'Expires',
  lifetimes: { '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year', '': 'Never' },
  createToken: 'Create token',
  tokenCreated: (name: string) => `Created the token “${name}”`,
  tokenCreatedHelp:
    'Copy the token now; Roughcut does not show it again. Send it in the header Authorization: Bearer <token>.',
  theToken: 'New token value',
  tokenList: 'Access tokens',
  created: (when: string) => `created ${when}`,
  expiresOn: (date: string) => `expires ${date}`,
  neverExpires: 'never expires',
  lastUsed: (when: string) => `last used ${when}`,
  neverUsed: 'never used',
  revoke: 'Revoke',
  revokeToken: (name: string) => `Revoke the token ${name}`,
  confirmRevoke: (name: string) => `Revoke “${name}”?`,
  confirmRevokeHelp:
    'Programs that use this token lose access. You cannot undo this, but you can create another token.',
} as const
