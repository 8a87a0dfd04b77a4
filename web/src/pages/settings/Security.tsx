import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'
import { changePassword, logoutAll, tokensQuery } from '../../api/account'
import { messageOf } from '../../api/client'
import { login, sessionQuery, signInOptionsQuery, type User } from '../../api/session'
import { accountText } from '../../text/account'
import { commonText } from '../../text/common'
import { securityText } from '../../text/security'
import { settingsText } from '../../text/settings'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { Field } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { useEndSession } from '../useEndSession'
import { useSubmit } from '../../ui/useSubmit'
import { Page } from './Page'
import { Tokens } from './Tokens'

/** The security page: password, sign-in providers, sessions and access tokens. */
export function Security() {
  const user = useQuery(sessionQuery).data
  if (!user) return null
  return (
    <Page title={settingsText.pages.security}>
      <Password user={user} />
      <Linked user={user} />
      <Sessions />
      <Tokens />
    </Page>
  )
}

function Password({ user }: { user: User }) {
  const queryClient = useQueryClient()
  const [round, setRound] = useState(0)
  const form = useSubmit(async (v) => {
    const password = v['new_password'] ?? ''
    await changePassword(user.has_password ? v['current_password'] : undefined, password)
    // The change ended all sessions including this one, so sign in again with the new password.
    await login(user.email, password)
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    await queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey })
    setRound((n) => n + 1)
    toast.success(securityText.passwordSet, { description: securityText.passwordSetHelp })
  })

  const wrong = form.problem?.code === 'wrong_password'
  return (
    <Section
      title={securityText.password}
      description={user.has_password ? securityText.passwordHelp : securityText.noPasswordHelp}
    >
      <form key={round} onSubmit={form.onSubmit} className="flex max-w-md flex-col gap-4">
        {form.message && !wrong && (
          <Notice tone="danger" title={accountText.passwordNotChanged}>
            {form.message}
          </Notice>
        )}
        <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
        {user.has_password && (
          <Field
            label={securityText.currentPassword}
            name="current_password"
            type="password"
            autoComplete="current-password"
            required
            error={form.fields['current_password'] ?? (wrong ? (form.message ?? undefined) : undefined)}
          />
        )}
        <Field
          label={accountText.newPassword}
          name="new_password"
          type="password"
          autoComplete="new-password"
          required
          minLength={10}
          maxLength={200}
          hint={accountText.passphraseHelp}
          error={form.fields['new_password']}
        />
        <Button variant="primary" type="submit" disabled={form.busy} className="self-start">
          {form.busy ? commonText.saving : user.has_password ? securityText.changePassword : securityText.setPassword}
        </Button>
      </form>
    </Section>
  )
}

function Linked({ user }: { user: User }) {
  const providers = useQuery(signInOptionsQuery).data?.providers ?? []
  const names = [...new Set([...providers.map((p) => p.name), ...user.oauth_providers])]
  if (names.length === 0) return null
  return (
    <Section title={securityText.providers} description={securityText.providersHelp}>
      <ul className="divide-y divide-line">
        {names.map((name) => (
          <li key={name} className="flex h-10 items-center justify-between text-sm">
            <span className="truncate font-medium">{name}</span>
            {user.oauth_providers.includes(name) ? (
              <Badge tone="accent">{securityText.linked}</Badge>
            ) : (
              <span className="text-xs text-faint">{securityText.notLinked}</span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Sessions() {
  const [open, setOpen] = useState(false)
  const endSession = useEndSession()
  const end = () => {
    endSession(logoutAll)
      .then((n) => toast.success(securityText.sessionsEnded(n), { description: securityText.sessionsEndedHelp }))
      .catch((error: unknown) => toast.error(messageOf(error)))
  }

  return (
    <Section title={securityText.devices} description={securityText.devicesHelp}>
      <Button onClick={() => setOpen(true)}>{securityText.signOutEverywhere}</Button>
      <Confirm
        open={open}
        onOpenChange={setOpen}
        title={securityText.confirmSignOut}
        yes={securityText.signOutEverywhere}
        onConfirm={end}
      >
        {securityText.confirmSignOutHelp}
      </Confirm>
    </Section>
  )
}
