import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'
import { deleteMe, requestEmailChange, updateMe } from '../../api/account'
import { billingQuery } from '../../api/billing'
import { messageOf, Problem } from '../../api/client'
import { sessionQuery, type User } from '../../api/session'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { Field } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { useSubmit } from '../useSubmit'
import { Page } from './Page'
import { useForgetSession } from './useForgetSession'

/** Who one is to others, the address, and the end of the account. */
export function Profile() {
  const user = useQuery(sessionQuery).data
  const owner = useQuery(billingQuery).data?.plan_mode === 'owner'
  if (!user) return null
  return (
    <Page title="Profile">
      <Names user={user} />
      <Email user={user} />
      <Deletion user={user} owner={owner} />
    </Page>
  )
}

function Names({ user }: { user: User }) {
  const queryClient = useQueryClient()
  const form = useSubmit(async (v) => {
    const changed = await updateMe({ name: (v['name'] ?? '').trim(), username: (v['username'] ?? '').trim() })
    queryClient.setQueryData(sessionQuery.queryKey, changed)
    toast.success('Saved')
  })
  const taken = form.problem?.code === 'username_taken'
  return (
    <Section title="You" description="How this server, and the mails that it sends, call you.">
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        {form.message && !taken && (
          <Notice tone="danger" title="Nothing was changed">
            {form.message}
          </Notice>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Name"
            name="name"
            defaultValue={user.name}
            autoComplete="name"
            required
            maxLength={100}
            error={form.fields['name']}
          />
          <Field
            label="Username"
            name="username"
            defaultValue={user.username}
            autoComplete="nickname"
            required
            minLength={3}
            maxLength={40}
            pattern="[A-Za-z0-9_.\-]+"
            title="Letters, digits, dot, dash and underscore"
            error={form.fields['username'] ?? (taken ? (form.message ?? undefined) : undefined)}
          />
        </div>
        <Button variant="primary" type="submit" disabled={form.busy} className="self-start">
          {form.busy ? 'Saving…' : 'Save'}
        </Button>
      </form>
    </Section>
  )
}

function Email({ user }: { user: User }) {
  const [open, setOpen] = useState(false)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const form = useSubmit(async (v) => {
    await requestEmailChange((v['new_email'] ?? '').trim(), user.has_password ? v['password'] : undefined)
    setSentTo((v['new_email'] ?? '').trim())
    setOpen(false)
  })
  const wrong = form.problem?.code === 'wrong_password'
  return (
    <Section
      title="Email"
      description={
        <span className="flex flex-wrap items-center gap-2">
          <span className="break-all text-ink">{user.email}</span>{' '}
          {user.email_verified && <Badge tone="accent">Verified</Badge>}
        </span>
      }
      action={!open && <Button onClick={() => setOpen(true)}>Change</Button>}
    >
      {sentTo && !open && (
        <Notice title={`A link is on its way to ${sentTo}`}>
          Your address changes once you open it, within 24 hours. Until then you sign in as before. The present address
          is told, too.
        </Notice>
      )}
      {open && (
        <form onSubmit={form.onSubmit} className="flex max-w-md flex-col gap-4">
          {form.message && !wrong && (
            <Notice
              tone="danger"
              title={form.problem?.code === 'sign_in_again' ? 'Sign in again first' : 'No mail was sent'}
            >
              {form.message}
            </Notice>
          )}
          <Field
            label="New email"
            name="new_email"
            type="email"
            autoComplete="email"
            required
            autoFocus
            error={form.fields['new_email']}
          />
          {user.has_password && (
            <Field
              label="Your password"
              name="password"
              type="password"
              autoComplete="current-password"
              required
              error={form.fields['password'] ?? (wrong ? (form.message ?? undefined) : undefined)}
            />
          )}
          <div className="flex gap-2">
            <Button variant="primary" type="submit" disabled={form.busy}>
              {form.busy ? 'Sending…' : 'Send the link'}
            </Button>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
          </div>
        </form>
      )}
      {!open && !sentTo && (
        <p className="text-sm text-muted">Mails about your account go there, and it is what you sign in with.</p>
      )}
    </Section>
  )
}

function Deletion({ user, owner }: { user: User; owner: boolean }) {
  const [open, setOpen] = useState(false)
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const leave = useForgetSession()
  const remove = () => {
    setBusy(true)
    setProblem(null)
    deleteMe(user.has_password ? password : undefined)
      .then(leave)
      .then(() => toast('Your account is deleted'))
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
      <Section
        title="Delete everything"
        description="This account belongs to this machine, and the program needs it. To remove all that Roughcut keeps, stop it and delete its data directory."
      >
        <p className="text-sm text-muted">Single projects are deleted in the list of projects.</p>
      </Section>
    )
  }
  const wrong = problem instanceof Problem && problem.code === 'wrong_password' ? problem.message : undefined
  return (
    <Section
      danger
      title="Delete the account"
      description="All of it goes at once and for good: projects with their clips, cuts and exports, assets, presets, tokens and sessions. Recordings that you have elsewhere are not touched."
    >
      <Button variant="danger" onClick={() => change(true)}>
        Delete my account
      </Button>
      <Confirm
        open={open}
        onOpenChange={change}
        title="Delete your account?"
        yes={busy ? 'Deleting…' : 'Delete for good'}
        typed={user.username}
        busy={busy || (user.has_password && password === '')}
        onConfirm={remove}
      >
        <p>
          Everything that is yours on this server is removed, and work under way is cancelled. Nobody can bring it back.
          Download the exports that you want to keep first.
        </p>
        {problem !== null && wrong === undefined && (
          <p className="mt-3 text-danger" role="alert">
            {messageOf(problem)}
          </p>
        )}
        {user.has_password && (
          <Field
            className="mt-4 text-ink"
            label="Your password"
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={(e) => setPassword(e.target.value)}
            error={wrong}
          />
        )}
      </Confirm>
    </Section>
  )
}
