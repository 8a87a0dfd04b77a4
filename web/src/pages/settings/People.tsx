import { useQuery } from '@tanstack/react-query'
import { EllipsisVertical, Search, ShieldCheck, Sparkles, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useDeferredValue, useState } from 'react'
import { toast } from 'sonner'
import { changePerson, grantBeta, peopleQuery, PEOPLE_PAGE, removePerson, type Account } from '../../api/admin'
import { billingQuery } from '../../api/billing'
import { queryKeys } from '../../api/keys'
import { sessionQuery } from '../../api/session'
import { formatSize } from '../../editor/format'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { Dialog } from '../../ui/Dialog'
import { Field, inputClass } from '../../ui/Field'
import { menuItemClass, menuClass } from '../../ui/menu'
import { Pager } from '../../ui/Pager'
import { Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { tableFrame, tableClass } from '../../ui/table'
import { useSubmit } from '../useSubmit'
import { Feedback } from './Feedback'
import { Invitations } from './Invitations'
import { day, tierName } from './billing'
import { Loaded, Page } from './Page'
import { useServerChange } from './useServerChange'

/** Who has an account here, and who is invited. */
export function People() {
  return (
    <Page title="People">
      <Accounts />
      <Invitations />
      <Feedback />
    </Page>
  )
}

function Accounts() {
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(1)
  const q = useDeferredValue(search.trim())
  const people = useQuery(peopleQuery(q, page))
  return (
    <Section
      title="Accounts"
      description={
        people.data && !q
          ? `${people.data.total.toLocaleString('en')} in all. A tier that is given here has no end and costs nothing.`
          : 'A tier that is given here has no end and costs nothing.'
      }
    >
      <div className="relative mb-4 max-w-sm" role="search">
        <Search size={16} className="pointer-events-none absolute top-2 left-2.5 text-faint" aria-hidden />
        <input
          aria-label="Search people"
          placeholder="Name, username or address"
          value={search}
          onChange={(e) => {
            setSearch(e.target.value)
            setPage(1)
          }}
          className={`${inputClass} h-8 pl-8`}
        />
      </div>
      <Loaded query={people} what="The accounts" height="h-48">
        {(list) =>
          list.total === 0 ? (
            <p className="text-sm text-muted">Nobody has “{q}” in name, username or address.</p>
          ) : (
            <>
              <div className={tableFrame}>
                <table className={tableClass} aria-label="Accounts">
                  <thead>
                    <tr>
                      <th scope="col">Person</th>
                      <th scope="col">Tier</th>
                      <th scope="col" className="!text-right">
                        AI min.
                      </th>
                      <th scope="col" className="!text-right max-lg:hidden">
                        Projects
                      </th>
                      <th scope="col" className="!text-right">
                        Storage
                      </th>
                      <th scope="col">
                        <span className="sr-only">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {list.items.map((a) => (
                      <Row key={a.user.uuid} account={a} />
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager page={page} size={PEOPLE_PAGE} total={list.total} what="accounts" onChange={setPage} />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

const TIERS = ['free', 'hobby', 'creator', 'viral'].map((value) => ({ value, label: tierName(value) }))
const STALE = [queryKeys.allPeople]

function Row({ account }: { account: Account }) {
  const { user } = account
  const owner = useQuery(billingQuery).data?.plan_mode === 'owner'
  const [tier, setTier] = useState<Account['tier'] | null>(null)
  const change = useServerChange(
    (body: { tier?: Account['tier']; is_admin?: boolean }) => changePerson(user.uuid, body),
    [...STALE, queryKeys.session, queryKeys.billing],
  )
  return (
    <tr>
      <td className="max-w-56">
        <span className="flex items-center gap-2">
          <span dir="auto" className="truncate font-medium">
            {user.name}
          </span>
          {user.is_admin && <Badge tone="accent">Admin</Badge>}
          {!user.email_verified && <Badge>Not verified</Badge>}
        </span>
        <span
          className="block truncate text-xs text-faint"
          title={`${user.email}, @${user.username}, since ${day(user.created_at)}`}
        >
          {user.email}
        </span>
      </td>
      <td className="min-w-32">
        {owner ? (
          <span className="text-muted">Everything</span>
        ) : (
          <Select
            bare
            label={`Tier of ${user.name}`}
            value={account.tier}
            options={TIERS}
            disabled={change.isPending}
            onChange={(e) => setTier(e.target.value as Account['tier'])}
          />
        )}
        {account.subscription_status === 'trialing' && (
          <span className="mt-0.5 block text-xs whitespace-nowrap text-faint">
            trial{account.trial_ends_at ? ` until ${day(account.trial_ends_at)}` : ''}
          </span>
        )}
        {account.subscription_status === 'past_due' && (
          <span className="mt-0.5 block text-xs text-danger">payment declined</span>
        )}
      </td>
      <td className="text-right whitespace-nowrap">
        {account.credits.ai_minutes.balance.toLocaleString('en', { maximumFractionDigits: 2 })}
      </td>
      <td className="text-right max-lg:hidden">{account.project_count}</td>
      <td className="text-right whitespace-nowrap">{formatSize(user.storage_used_bytes)}</td>
      <td className="w-8">
        <Menu account={account} onAdmin={(is_admin) => change.mutate({ is_admin })} />
        {tier && (
          <Confirm
            open
            onOpenChange={(open) => !open && setTier(null)}
            title={`Put ${user.name} on ${tierName(tier)}?`}
            yes={`Put on ${tierName(tier)}`}
            no="Cancel"
            onConfirm={() => {
              setTier(null)
              change.mutate({ tier })
            }}
          >
            It holds at once and without an end, costs nothing, and takes the place of a plan that is paid. AI minutes
            are raised to those of a month; those above expire where the tier has fewer.
          </Confirm>
        )}
      </td>
    </tr>
  )
}

function Menu({ account, onAdmin }: { account: Account; onAdmin: (admin: boolean) => void }) {
  const { user } = account
  const me = useQuery(sessionQuery).data
  const [dialog, setDialog] = useState<'admin' | 'beta' | 'delete' | null>(null)
  const remove = useServerChange(removePerson, STALE, () => toast(`The account of ${user.name} is deleted`))
  const close = (open: boolean) => !open && setDialog(null)
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger
          aria-label={`Actions for ${user.name}`}
          className="inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
        >
          <EllipsisVertical size={16} />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content align="end" className={menuClass}>
            <DropdownMenu.Item className={menuItemClass} onSelect={() => setDialog('beta')}>
              <Sparkles size={14} /> Beta credits…
            </DropdownMenu.Item>
            <DropdownMenu.Item className={menuItemClass} onSelect={() => setDialog('admin')}>
              <ShieldCheck size={14} /> {user.is_admin ? 'Take the rights of an admin' : 'Make an admin'}
            </DropdownMenu.Item>
            {user.uuid !== me?.uuid && (
              <DropdownMenu.Item className={`${menuItemClass} text-danger`} onSelect={() => setDialog('delete')}>
                <Trash2 size={14} /> Delete…
              </DropdownMenu.Item>
            )}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Confirm
        open={dialog === 'admin'}
        onOpenChange={close}
        title={user.is_admin ? `Take the rights of an admin from ${user.name}?` : `Make ${user.name} an admin?`}
        yes={user.is_admin ? 'Take them' : 'Make an admin'}
        no="Cancel"
        onConfirm={() => {
          setDialog(null)
          onAdmin(!user.is_admin)
        }}
      >
        {user.is_admin
          ? 'These pages are closed to that account from now on. Somebody has to stay an admin.'
          : 'An admin sees all accounts and the mails of the outbox, gives tiers, downloads models and can delete any account.'}
      </Confirm>
      {dialog === 'beta' && <Beta account={account} onClose={() => setDialog(null)} />}
      <Confirm
        open={dialog === 'delete'}
        onOpenChange={close}
        title={`Delete the account of ${user.name}?`}
        yes="Delete for good"
        typed={user.username}
        busy={remove.isPending}
        onConfirm={() => remove.mutate(user.uuid, { onSettled: () => setDialog(null) })}
      >
        All of it goes at once and for good: {account.project_count} projects with their clips and exports,{' '}
        {formatSize(user.storage_used_bytes)} of recordings, presets, sessions and tokens.
      </Confirm>
    </>
  )
}

function Beta({ account, onClose }: { account: Account; onClose: () => void }) {
  const { user } = account
  const grant = useServerChange(
    (v: { minutes: number; renewal: string | null }) => grantBeta(user.email, v.minutes, v.renewal),
    [...STALE, queryKeys.billing, queryKeys.allMovements],
    () => {
      toast.success(`The beta credits of ${user.name} are set`)
      onClose()
    },
    true,
  )
  const form = useSubmit(async (v) => {
    await grant.mutateAsync({
      minutes: Number(v['minutes']),
      renewal: v['renewal'] ? `${v['renewal']}T00:00:00Z` : null,
    })
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Beta credits of ${user.name}`}
      description="AI minutes beside those of the plan, spent first. They take the place of an earlier grant; 0 ends the programme for this account."
    >
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <Field
          label="AI minutes"
          name="minutes"
          type="number"
          min={0}
          max={10_000_000}
          step="0.01"
          defaultValue={120}
          required
          autoFocus
          error={form.fields['credits_total'] ?? form.message ?? undefined}
        />
        <Field
          label="Filled up again on"
          name="renewal"
          type="date"
          hint="And every month from then on. Leave it empty for once."
          error={form.fields['renewal_date']}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" disabled={form.busy}>
            Set the credits
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
