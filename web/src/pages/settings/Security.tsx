import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'
import { changePassword, logoutAll } from '../../api/account'
import { messageOf } from '../../api/client'
import { queryKeys } from '../../api/keys'
import { login, sessionQuery, signInOptionsQuery, type User } from '../../api/session'
import { count } from '../../editor/format'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { Field } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { useSubmit } from '../useSubmit'
import { Page } from './Page'
import { Tokens } from './Tokens'
import { useForgetSession } from './useForgetSession'

/** The password, other ways to sign in, sessions and tokens. */
export function Security() {
  const user = useQuery(sessionQuery).data
  if (!user) return null
  return (
    <Page title="Security">
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
    // The change ended this session with all others; the new password opens another one.
    await login(user.email, password)
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    await queryClient.invalidateQueries({ queryKey: queryKeys.tokens })
    setRound((n) => n + 1)
    toast.success('Your password is set', {
      description: 'All other devices were signed out, and all tokens are revoked.',
    })
  })
  const wrong = form.problem?.code === 'wrong_password'
  return (
    <Section
      title="Password"
      description={
        user.has_password
          ? 'A new one signs out every other device and revokes your tokens.'
          : 'You have none yet: you sign in in another way. With one you can sign in with your address, too.'
      }
    >
      <form key={round} onSubmit={form.onSubmit} className="flex max-w-md flex-col gap-4">
        {form.message && !wrong && (
          <Notice tone="danger" title="The password was not changed">
            {form.message}
          </Notice>
        )}
        <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
        {user.has_password && (
          <Field
            label="Current password"
            name="current_password"
            type="password"
            autoComplete="current-password"
            required
            error={form.fields['current_password'] ?? (wrong ? (form.message ?? undefined) : undefined)}
          />
        )}
        <Field
          label="New password"
          name="new_password"
          type="password"
          autoComplete="new-password"
          required
          minLength={10}
          maxLength={200}
          hint="At least 10 characters. A short sentence is easy to keep in mind."
          error={form.fields['new_password']}
        />
        <Button variant="primary" type="submit" disabled={form.busy} className="self-start">
          {form.busy ? 'Saving…' : user.has_password ? 'Change the password' : 'Set the password'}
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
    <Section
      title="Other ways to sign in"
      description="Services that this server trusts. One is linked the first time you sign in there with the same, verified address."
    >
      <ul className="divide-y divide-line">
        {names.map((name) => (
          <li key={name} className="flex h-10 items-center justify-between text-sm">
            <span className="truncate font-medium">{name}</span>
            {user.oauth_providers.includes(name) ? (
              <Badge tone="accent">Linked</Badge>
            ) : (
              <span className="text-xs text-faint">Not used yet</span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Sessions() {
  const [open, setOpen] = useState(false)
  const leave = useForgetSession()
  const end = () => {
    logoutAll()
      .then(async (n) => {
        await leave()
        toast.success(`${count(n, 'session')} ended`, {
          description: 'You are signed out everywhere. Sign in again to go on.',
        })
      })
      .catch((error: unknown) => toast.error(messageOf(error)))
  }
  return (
    <Section
      title="Devices"
      description="A session lasts 30 days from its last use. If a device is lost, sign out everywhere; tokens stay and are revoked one by one."
    >
      <Button onClick={() => setOpen(true)}>Sign out everywhere</Button>
      <Confirm
        open={open}
        onOpenChange={setOpen}
        title="Sign out everywhere?"
        yes="Sign out everywhere"
        no="Cancel"
        onConfirm={end}
      >
        Every device is signed out within a second, this one included. Work under way goes on.
      </Confirm>
    </Section>
  )
}
