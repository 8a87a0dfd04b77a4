import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createToken, revokeToken, tokensQuery, type AccessToken } from '../../api/account'
import { projectNamesQuery } from '../../api/projects'
import { commonText } from '../../text/common'
import { date, relativeTime } from '../../text/format'
import { securityText } from '../../text/security'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { CopyText } from '../../ui/CopyText'
import { Field } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { useSubmit } from '../../ui/useSubmit'
import { Loaded } from './Page'
import { useServerChange } from './useServerChange'

/** Token lifetimes in days; an empty value means no expiry. */
const LIFETIMES = (['30', '90', '365', ''] as const).map((value) => ({ value, label: securityText.lifetimes[value] }))

const ACCESSES = (['write', 'read'] as const).map((value) => ({ value, label: securityText.accesses[value] }))

/** The access tokens of the account. */
export function Tokens() {
  const tokens = useQuery(tokensQuery)
  const queryClient = useQueryClient()
  const projects = useQuery(projectNamesQuery).data ?? []
  const scopes = [
    { value: '', label: securityText.wholeAccount },
    ...projects.map((p) => ({ value: p.uuid, label: p.name })),
  ]

  const [creating, setCreating] = useState(false)
  const [created, setCreated] = useState<{ name: string; token: string } | null>(null)
  const form = useSubmit(async (v) => {
    const { name, token } = await createToken({
      name: (v['name'] ?? '').trim(),
      read_only: v['access'] === 'read',
      ...(v['days'] ? { expires_in_days: Number(v['days']) } : {}),
      ...(v['project'] ? { project_uuid: v['project'] } : {}),
    })

    setCreated({ name, token })
    setCreating(false)
    await queryClient.invalidateQueries(tokensQuery)
  })

  const start = () => {
    setCreated(null)
    setCreating(true)
  }

  return (
    <Section
      title={securityText.tokens}
      description={securityText.tokensHelp}
      action={!creating && <Button onClick={start}>{securityText.newToken}</Button>}
    >
      <div className="flex flex-col gap-4">
        {creating && (
          <form onSubmit={form.onSubmit} className="grid items-start gap-3 sm:grid-cols-3">
            <Field
              className="sm:col-span-3"
              label={securityText.tokenName}
              name="name"
              required
              maxLength={100}
              autoFocus
              autoComplete="off"
              placeholder={securityText.tokenNamePlaceholder}
              error={form.fields['name'] ?? form.message ?? undefined}
            />
            <Select label={securityText.access} name="access" options={ACCESSES} />
            <Select label={securityText.scope} name="project" options={scopes} />
            <Select label={securityText.expires} name="days" defaultValue="90" options={LIFETIMES} />
            <div className="flex gap-2 sm:col-span-3">
              <Button variant="primary" type="submit" disabled={form.busy}>
                {securityText.createToken}
              </Button>
              <Button onClick={() => setCreating(false)}>{commonText.cancel}</Button>
            </div>
          </form>
        )}
        {created && (
          <Notice title={securityText.tokenCreated(created.name)}>
            <p>{securityText.tokenCreatedHelp}</p>
            <CopyText label={securityText.theToken} value={created.token} />
          </Notice>
        )}
        <Loaded query={tokens} what={securityText.theTokens} height="h-10">
          {(list) =>
            list.length === 0 ? (
              <p className="text-sm text-muted">{securityText.noTokens}</p>
            ) : (
              <ul aria-label={securityText.tokenList} className="divide-y divide-line">
                {list.map((token) => (
                  <Row
                    key={token.uuid}
                    token={token}
                    project={projects.find((p) => p.uuid === token.project_uuid)?.name}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Section>
  )
}

function Row({ token, project }: { token: AccessToken; project: string | undefined }) {
  const [asking, setAsking] = useState(false)
  const revoke = useServerChange(revokeToken, [tokensQuery.queryKey])
  const scope = !token.project_uuid
    ? securityText.wholeAccount
    : project
      ? securityText.onlyProject(project)
      : securityText.oneProject

  const facts = [
    securityText.created(relativeTime(token.created_at)),
    token.expires_at ? securityText.expiresOn(date(token.expires_at)) : securityText.neverExpires,
    token.last_used_at ? securityText.lastUsed(relativeTime(token.last_used_at)) : securityText.neverUsed,
  ]

  return (
    <li className="flex items-center gap-3 py-2 text-sm">
      <div className="min-w-0 flex-1">
        <p dir="auto" className="truncate text-left font-medium">
          {token.name}
        </p>
        <p className="text-xs break-words text-muted">
          {token.read_only ? securityText.reads(scope) : securityText.readsAndWrites(scope)}
        </p>
        <p className="text-xs text-faint first-letter:uppercase">{facts.join(', ')}</p>
      </div>
      <Button size="sm" aria-label={securityText.revokeToken(token.name)} onClick={() => setAsking(true)}>
        {securityText.revoke}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={securityText.confirmRevoke(token.name)}
        yes={securityText.revoke}
        busy={revoke.isPending}
        onConfirm={() => revoke.mutate(token.uuid)}
      >
        {securityText.confirmRevokeHelp}
      </Confirm>
    </li>
  )
}
