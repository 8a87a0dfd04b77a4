import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'
import { deleteMe, requestEmailChange, updateMe } from '../../api/account'
import { billingQuery } from '../../api/billing'
import { messageOf, Problem } from '../../api/client'
import { sessionQuery, signInOptionsQuery, type User } from '../../api/session'
import { accountText } from '../../text/account'
import { commonText } from '../../text/common'
import { profileText } from '../../text/profile'
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

/** The profile page: names, email address, and account deletion. */
export function Profile() {
  const user = useQuery(sessionQuery).data
  const owner = useQuery(billingQuery).data?.plan_mode === 'owner'
  if (!user) return null
  return (
    <Page title={settingsText.pages.profile}>
      <Names user={user} />
      {(!owner || user.has_password) && <Email user={user} />}
      <Deletion user={user} owner={owner} />
    </Page>
  )
}

function Names({ user }: { user: User }) {
  const queryClient = useQueryClient()
  const form = useSubmit(async (v) => {
    const changed = await updateMe({ name: (v['name'] ?? '').trim(), username: (v['username'] ?? '').trim() })
    queryClient.setQueryData(sessionQuery.queryKey, changed)
    toast.success(settingsText.saved)
  })

  const taken = form.problem?.code === 'username_taken'
  return (
    <Section title={profileText.you} description={profileText.youHelp}>
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        {form.message && !taken && (
          <Notice tone="danger" title={settingsText.nothingChanged}>
            {form.message}
          </Notice>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label={commonText.name}
            name="name"
            defaultValue={user.name}
            autoComplete="name"
            required
            maxLength={100}
            error={form.fields['name']}
          />
          <Field
            label={accountText.username}
            name="username"
            defaultValue={user.username}
            autoComplete="nickname"
            required
            minLength={3}
            maxLength={40}
            pattern="[A-Za-z0-9_.\-]+"
            title={accountText.usernameHelp}
            error={form.fields['username'] ?? (taken ? (form.message ?? undefined) : undefined)}
          />
        </div>
        <Button variant="primary" type="submit" disabled={form.busy} className="self-start">
          {form.busy ? commonText.saving : commonText.save}
        </Button>
      </form>
    </Section>
  )
}

function Email({ user }: { user: User }) {
  const [open, setOpen] = useState(false)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const sends = useQuery(signInOptionsQuery).data?.mail ?? true
  const form = useSubmit(async (v) => {
    await requestEmailChange((v['new_email'] ?? '').trim(), user.has_password ? v['password'] : undefined)
    setSentTo((v['new_email'] ?? '').trim())
    setOpen(false)
  })

  const wrong = form.problem?.code === 'wrong_password'
  return (
    <Section
      title={profileText.email}
      description={
        <span className="flex flex-wrap items-center gap-2">
          <span className="break-all text-ink">{user.email}</span>{' '}
          {user.email_verified && <Badge tone="accent">{profileText.verified}</Badge>}
        </span>
      }
      action={!open && <Button onClick={() => setOpen(true)}>{profileText.change}</Button>}
    >
      {sentTo && !open && (
        <Notice title={sends ? profileText.linkSent(sentTo) : profileText.askForLink}>
          {sends ? profileText.linkSentHelp : profileText.askForLinkHelp}
        </Notice>
      )}
      {open && (
        <form onSubmit={form.onSubmit} className="flex max-w-md flex-col gap-4">
          {form.message && !wrong && (
            <Notice
              tone="danger"
              title={form.problem?.code === 'sign_in_again' ? profileText.signInAgain : accountText.mailNotSent}
            >
              {form.message}
            </Notice>
          )}
          <Field
            label={profileText.newEmail}
            name="new_email"
            type="email"
            autoComplete="email"
            required
            autoFocus
            error={form.fields['new_email']}
          />
          {user.has_password && (
            <Field
              label={profileText.yourPassword}
              name="password"
              type="password"
              autoComplete="current-password"
              required
              error={form.fields['password'] ?? (wrong ? (form.message ?? undefined) : undefined)}
            />
          )}
          <div className="flex gap-2">
            <Button variant="primary" type="submit" disabled={form.busy}>
              {form.busy ? accountText.sending : accountText.sendLink}
            </Button>
            <Button onClick={() => setOpen(false)}>{commonText.cancel}</Button>
          </div>
        </form>
      )}
      {!open && !sentTo && <p className="text-sm text-muted">{profileText.emailHelp}</p>}
    </Section>
  )
}

function Deletion({ user, owner }: { user: User; owner: boolean }) {
  const [open, setOpen] = useState(false)
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const endSession = useEndSession()
  const remove = () => {
    setBusy(true)
    setProblem(null)
    endSession(() => deleteMe(user.has_password ? password : undefined))
      .then(() => toast(profileText.deleted))
      .catch((error: unknown) => {
        setProblem(error)
        setBusy(false)
      })
  }

  const change = (next: boolean) => {
    setOpen(next)
    setProblem(null)
    setPassword('')
  }

  if (owner && user.email === 'owner@localhost') {
    return (
      <Section title={profileText.deleteAll} description={profileText.deleteAllHelp}>
        <p className="text-sm text-muted">{profileText.deleteProjectsHelp}</p>
      </Section>
    )
  }

  const wrong = problem instanceof Problem && problem.code === 'wrong_password' ? problem.message : undefined
  return (
    <Section danger title={profileText.deleteAccount} description={profileText.deleteAccountHelp}>
      <Button variant="danger" onClick={() => change(true)}>
        {profileText.deleteMine}
      </Button>
      <Confirm
        open={open}
        onOpenChange={change}
        title={profileText.confirmDelete}
        yes={busy ? profileText.deleting : commonText.deletePermanently}
        typed={user.username}
        busy={busy || (user.has_password && password === '')}
        onConfirm={remove}
      >
        <p>{profileText.confirmDeleteHelp}</p>
        {problem !== null && wrong === undefined && (
          <p className="mt-3 text-danger" role="alert">
            {messageOf(problem)}
          </p>
        )}
        {user.has_password && (
          <Field
            className="mt-4 text-ink"
            label={profileText.yourPassword}
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={(e) => {
              setPassword(e.target.value)
              setProblem(null)
            }}
            error={wrong}
          />
        )}
      </Confirm>
    </Section>
  )
}
