import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createToken, revokeToken, tokensQuery, type AccessToken } from '../../api/account'
import { formatAge } from '../../editor/format'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { CopyText } from '../../ui/CopyText'
import { Field } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { useSubmit } from '../useSubmit'
import { Loaded } from './Page'
import { useServerChange } from './useServerChange'

const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '', label: 'without an end' },
]

/** Keys for programs that act for the account. */
export function Tokens() {
  const tokens = useQuery(tokensQuery)
  const queryClient = useQueryClient()
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<{ name: string; token: string } | null>(null)
  const form = useSubmit(async (v) => {
    const { name, token } = await createToken((v['name'] ?? '').trim(), v['days'] ? Number(v['days']) : null)
    setMade({ name, token })
    setMaking(false)
    await queryClient.invalidateQueries(tokensQuery)
  })
  const begin = () => {
    setMade(null)
    setMaking(true)
  }
  return (
    <Section
      title="Personal access tokens"
      description="A token lets a program do whatever you can do here. The API reference says what there is."
      action={!making && <Button onClick={begin}>New token</Button>}
    >
      <div className="flex flex-col gap-4">
        {making && (
          <form onSubmit={form.onSubmit} className="flex flex-wrap items-start gap-3">
            <Field
              className="min-w-48 flex-1"
              label="What it is for"
              name="name"
              required
              maxLength={100}
              autoFocus
              autoComplete="off"
              placeholder="Upload script"
              error={form.fields['name'] ?? form.message ?? undefined}
            />
            <Select className="w-40" label="It works for" name="days" defaultValue="90" options={LIFETIMES} />
            <div className="flex gap-2 pt-6">
              <Button variant="primary" size="lg" type="submit" disabled={form.busy}>
                Make it
              </Button>
              <Button size="lg" onClick={() => setMaking(false)}>
                Cancel
              </Button>
            </div>
          </form>
        )}
        {made && (
          <Notice title={`The token “${made.name}” is made`}>
            <p>Copy it now; it is shown only this once. Send it as Authorization: Bearer.</p>
            <CopyText label="The new token" value={made.token} />
          </Notice>
        )}
        <Loaded query={tokens} what="Your tokens" height="h-10">
          {(list) =>
            list.length === 0 ? (
              <p className="text-sm text-muted">No program has a token of yours.</p>
            ) : (
              <ul aria-label="Tokens" className="divide-y divide-line">
                {list.map((token) => (
                  <Row key={token.uuid} token={token} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Section>
  )
}

function Row({ token }: { token: AccessToken }) {
  const [asking, setAsking] = useState(false)
  const revoke = useServerChange(revokeToken, [tokensQuery.queryKey])
  const used = token.last_used_at ? `used ${formatAge(token.last_used_at)}` : 'never used'
  const until = token.expires_at
    ? `until ${new Date(token.expires_at).toLocaleDateString('en', { dateStyle: 'medium' })}`
    : 'without an end'
  return (
    <li className="flex items-center gap-3 py-2 text-sm">
      <div className="min-w-0 flex-1">
        <p dir="auto" className="truncate text-left font-medium">
          {token.name}
        </p>
        <p className="text-xs text-faint">
          made {formatAge(token.created_at)}, {until}, {used}
        </p>
      </div>
      <Button size="sm" aria-label={`Revoke the token ${token.name}`} onClick={() => setAsking(true)}>
        Revoke
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={`Revoke “${token.name}”?`}
        yes="Revoke"
        busy={revoke.isPending}
        onConfirm={() => revoke.mutate(token.uuid)}
      >
        The program that has it can no longer do anything here. This cannot be taken back; you can make another token.
      </Confirm>
    </li>
  )
}
