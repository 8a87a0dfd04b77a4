import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, Problem, setCSRFToken, type Schemas } from './client'
import { leaveSettings, takeSettings, type SettingRequests } from './settings'

export type User = Schemas['User']

/** The signed-in user, or null. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: checkAuth,
  staleTime: Infinity,
  retry: (count, error) => error instanceof Problem && error.status === 0 && count < 3,
})

const settingRequests: SettingRequests = {
  load: () => dataOf(api.GET('/api/v1/users/me/settings')),
  save: (body) => dataOf(api.PATCH('/api/v1/users/me/settings', { body, keepalive: true })),
}

async function checkAuth(): Promise<User | null> {
  try {
    const state = await dataOf(api.GET('/api/v1/auth/check'))
    setCSRFToken(state.csrf_token)
    void takeSettings(state.user.uuid, settingRequests)
    return state.user
  } catch (error) {
    leaveSettings()
    if (error instanceof Problem && error.status === 401) return null
    throw error
  }
}

/** The ways to sign in and sign up on this server. */
export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: () => dataOf(api.GET('/api/v1/auth/options')),
  staleTime: 60_000,
})

/** Starts a sign-in at a provider and returns the URL to open. The provider redirects back to `next`, a page of the app. */
export async function startOAuth(provider: string, next: string, invitation: string | undefined): Promise<string> {
  const query = invitation ? { next, invitation } : { next }
  const { url } = await dataOf(
    api.GET('/api/v1/auth/oauth/start/{provider}', { params: { path: { provider }, query } }),
  )

  return url
}

/** The details of an invitation. */
export const invitationQuery = (token: string | undefined) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => dataOf(api.POST('/api/v1/auth/check-invitation', { body: { token: token ?? '' } })),
    enabled: token !== undefined,
    retry: false,
    staleTime: Infinity,
  })

export async function login(email: string, password: string): Promise<void> {
  const { csrf_token } = await dataOf(
    api.POST('/api/v1/auth/login', {
      body: { username: email, password },
      bodySerializer: (body) => new URLSearchParams(body),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    }),
  )

  setCSRFToken(csrf_token)
}

/** Exchanges a launch token of single-user mode for a session. */
export async function launch(token: string): Promise<void> {
  const { csrf_token } = await dataOf(api.POST('/api/v1/auth/launch', { body: { token } }))
  setCSRFToken(csrf_token)
}

export const logout = () => dataOf(api.POST('/api/v1/auth/logout'))

export const signUp = (body: Schemas['NewUser']) => dataOf(api.POST('/api/v1/users', { body }))
export const sendVerification = (email: string) =>
  dataOf(api.POST('/api/v1/auth/send-verification', { body: { email } }))
export const confirmEmailChange = (token: string) =>
  dataOf(api.POST('/api/v1/auth/confirm-email-change', { body: { token } }))

export const verifyEmail = (token: string) => dataOf(api.POST('/api/v1/auth/verify-email', { body: { token } }))
export const requestPasswordReset = (email: string) =>
  dataOf(api.POST('/api/v1/auth/request-password-reset', { body: { email } }))
export const resetPassword = (token: string, new_password: string) =>
  dataOf(api.POST('/api/v1/auth/reset-password', { body: { token, new_password } }))
