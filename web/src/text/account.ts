import { settingsText } from './settings'

export const accountText = {
  tagline: 'From raw recording to first cut.',
  signIn: 'Sign in',
  signingIn: 'Signing in…',
  signOut: 'Sign out',
  backToSignIn: 'Back to sign-in',
  haveAccount: 'Already have an account? {signIn}',
  username: 'Username',
  usernameHelp: 'Use letters, digits, dots, dashes and underscores.',
  newPassword: 'New password',
  passwordHelp: 'Use at least 10 characters.',
  passphraseHelp: 'Use at least 10 characters. A short sentence is easy to remember.',
  mailNotSent: 'The email was not sent',
  sendLink: 'Send link',
  sending: 'Sending…',

  // Sign-in
  launchLinkInvalid: 'This launch link no longer works',
  signInFailed: 'Sign-in failed',
  tooManyAttempts: 'Too many attempts',
  verifyFirst: 'Verify your email address first',
  notYet: 'You cannot sign in yet',
  resendMail: 'Resend email',
  forgotPassword: 'Forgot your password?',
  createAccount: 'Create account',
  ownServer:
    'Running Roughcut on your own computer? Open the link that it printed at startup to sign in without a password.',
  singleUser: 'Open Roughcut on its computer',
  singleUserHelp: 'Run this command where Roughcut runs. It opens this page, signed in:',
  openCommand: 'roughcut open',
  singleUserLink: 'The link that Roughcut printed at startup works too.',
  withPassword: 'Sign in with a password',

  // Sign-in through a provider
  or: 'or',
  continueWith: (provider: string) => `Continue with ${provider}`,
  opening: (provider: string) => `Opening ${provider}…`,
  providerErrors: {
    oauth_denied: 'The sign-in was cancelled or the provider rejected it. Try again.',
    oauth_expired: 'The sign-in took too long, or it was started in another window. Start again.',
    oauth_failed:
      'The provider sent an unexpected response. Try again in a moment. If the error persists, contact the admin of this server.',
    oauth_email_unverified: 'The provider has not verified your email address. Verify it there, then try again.',
    email_taken:
      'The account with your email address is linked to another account at the provider. Sign in with your password instead.',
    signup_closed: 'You have no account on this server, and it requires an invitation. Ask its admin for one.',
    invitation_invalid:
      'The invitation was used, revoked or has expired, or it is for another email address. Ask for a new one.',
    username_taken: 'Roughcut could not find a free username for you. Ask the admin of this server for an account.',
    not_found: 'This server no longer offers this provider. Sign in another way.',
    storage_full: 'The disk of this server is full. Ask its admin to free some space.',
  } as Record<string, string>,
  providerError: 'The server reported an error. Try again. If the error persists, contact its admin.',

  // Sign-up
  firstAccount: 'Create the first account',
  firstAccountHelp:
    'The first account is the admin of this server. It manages people and speech models. Each account sees only its own recordings.',
  firstByLink: 'The printed link creates the first account',
  firstByLinkHelp:
    'Open the link that Roughcut printed when it started. To print another link, run “roughcut open --print” on the server.',
  invited: 'You are invited',
  createTitle: 'Create an account',
  creating: 'Creating account…',
  notCreated: 'The account was not created',
  signupClosed: 'Sign-up is closed',
  signupClosedHelp: 'Ask the admin of this server for an account.',
  inviteOnly: 'Sign-up requires an invitation',
  inviteOnlyHelp: 'Ask the admin of this server for an invitation, then open the link in it.',
  invitationInvalid: 'This invitation is not valid',
  createWithout: 'Create an account without an invitation',
  invitedEmail: 'The invitation is for this address.',

  // What to do after a request for a link
  nextStep: {
    verify: {
      title: 'Check your email',
      text: 'We sent a link to {email}. Open it to verify your address.',
      help: 'No email after a few minutes? Check your spam folder.',
    },
    reset: {
      title: 'Check your email',
      text: 'If {email} has an account, we sent a link to it. Open the link to choose a new password.',
      help: 'No email after a few minutes? Check your spam folder.',
    },
    verifyFirst: {
      title: 'Verify your address',
      text: 'Roughcut wrote the email to {email} to a file in the outbox folder of its data directory. Open the link in this .eml file.',
      help: 'To send emails, set SMTP_URL and restart the server.',
    },
    verifyWithoutMail: {
      title: 'An admin has to let you in',
      text: `This server sends no email. Ask an admin to let in {email} in Settings, under ${settingsText.pages.people}.`,
      help: 'Then sign in with your password.',
    },
    resetWithoutMail: {
      title: 'Ask an admin for the link',
      text: `This server sends no email. If {email} has an account, admins find the link in Settings, under ${settingsText.pages.mail}.`,
      help: 'Open the link to choose a new password.',
    },
  },

  // Emailed links
  verifyQuestion: 'Is this your email address?',
  verifyAddress: 'Verify this address',
  changeQuestion: 'Use this email address for your account?',
  changeAddress: 'Use this address',
  linkInvalid: 'This link cannot be used',
  linkIncomplete: 'The link is incomplete. Copy the whole link from the email, or request a new one.',
  sendNewLink: 'Send new link',
  addressVerified: 'Your email address is verified',
  addressChanged: 'Your new email address is verified',
  addressChangedHelp: 'Use it to sign in from now on.',

  // Password reset
  resetTitle: 'Reset your password',
  resetHelp: 'We send you a link that is valid for one hour.',
  chooseTitle: 'Choose a new password',
  requestNewLink: 'Request a new link',
  passwordNotChanged: 'The password was not changed',
  savePassword: 'Save password',
  passwordChanged: 'Your password has changed',
  passwordChangedHelp: 'Roughcut has signed out all devices.',
} as const
