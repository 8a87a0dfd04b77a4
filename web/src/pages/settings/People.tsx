import { useQuery } from '@tanstack/react-query'
import { EllipsisVertical, Search, ShieldCheck, Sparkles, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useDeferredValue, useState } from 'react'
import { toast } from 'sonner'
import { allPeople, changePerson, grantBeta, peopleQuery, removePerson, type Account } from '../../api/admin'
import { allMovements, billingQuery } from '../../api/billing'
import { sessionQuery, signInOptionsQuery } from '../../api/session'
import { commonText } from '../../text/common'
import { bytes, date, number } from '../../text/format'
import { peopleText } from '../../text/people'
import { settingsText } from '../../text/settings'
import { Badge } from '../../ui/Badge'
import { Confirm } from '../../ui/Confirm'
import { Dialog } from '../../ui/Dialog'
import { Field, inputClass } from '../../ui/Field'
import { FormActions } from '../../ui/FormActions'
import { menuItemClass, menuClass } from '../../ui/menu'
import { Notice } from '../../ui/Notice'
import { Paged } from '../../ui/Pager'
import { Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { Column, Table } from '../../ui/Table'
import { useSubmit } from '../../ui/useSubmit'
import { Feedback } from './Feedback'
import { Invitations } from './Invitations'
import { tierName } from './billing'
import { Loaded, Page } from './Page'
import { useServerChange } from './useServerChange'
import { Waiting } from './Waiting'
import { returnFocus } from '../../ui/home'

/** The people page for admins: accounts, invitations and cancellation feedback. */
export function People() {
  const options = useQuery(signInOptionsQuery).data
  return (
    <Page title={settingsText.pages.people}>
      {options?.signup === 'open' && <Notice title={peopleText.openSignup}>{peopleText.openSignupHelp}</Notice>}
      {options?.mail === false && <Waiting />}
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
  const metered = useQuery(billingQuery).data?.plan_mode === 'metered'
  const total = people.data && !q ? peopleText.total(people.data.total) : ''
  return (
    <Section
      title={peopleText.accounts}
      description={[total, metered ? peopleText.tiersHelp : ''].filter(Boolean).join(' ')}
    >
      <div className="relative mb-4 max-w-sm" role="search">
        <Search size={16} className="pointer-events-none absolute top-2 left-2.5 text-faint" aria-hidden />
        <input
          aria-label={peopleText.search}
          placeholder={peopleText.searchPlaceholder}
          value={search}
          onChange={(e) => {
            setSearch(e.target.value)
            setPage(1)
          }}
          className={`${inputClass} h-8 pl-8`}
        />
      </div>
      <Loaded query={people} what={peopleText.theAccounts} height="h-48">
        {(list) => (
          <Paged
            page={page}
            list={list}
            what={peopleText.pagedAccounts}
            empty={peopleText.noMatch(q)}
            onChange={setPage}
          >
            <Table
              label={peopleText.accounts}
              head={
                <>
                  <Column>{peopleText.person}</Column>
                  {metered && (
                    <>
                      <Column>{peopleText.tier}</Column>
                      <Column className="text-right phone:hidden">{peopleText.aiMinutes}</Column>
                    </>
                  )}
                  <Column className="text-right max-lg:hidden">{peopleText.projects}</Column>
                  <Column className={`text-right ${metered ? 'phone:hidden' : ''}`}>{peopleText.storage}</Column>
                  <Column>
                    <span className="sr-only">{peopleText.actions}</span>
                  </Column>
                </>
              }
            >
              {list.items.map((a) => (
                <Row key={a.user.uuid} account={a} metered={metered} />
              ))}
            </Table>
          </Paged>
        )}
      </Loaded>
    </Section>
  )
}

const TIERS = ['free', 'hobby', 'creator', 'viral'].map((value) => ({ value, label: tierName(value) }))
const STALE = [allPeople.queryKey]

function Row({ account, metered }: { account: Account; metered: boolean }) {
  const { user } = account
  const [tier, setTier] = useState<Account['tier'] | null>(null)
  const change = useServerChange(
    (body: { tier?: Account['tier']; is_admin?: boolean }) => changePerson(user.uuid, body),
    [...STALE, sessionQuery.queryKey, billingQuery.queryKey],
  )

  return (
    <tr>
      <td className={`max-w-56 ${metered ? 'phone:max-w-36' : ''}`}>
        <span className="flex items-center gap-2">
          <span dir="auto" className="truncate font-medium">
            {user.name}
          </span>
          {user.is_admin && <Badge tone="accent">{peopleText.admin}</Badge>}
          {!user.email_verified && <Badge>{peopleText.notVerified}</Badge>}
        </span>
        <span
          className="block truncate text-xs text-faint"
          title={peopleText.details(user.email, user.username, date(user.created_at))}
        >
          {user.email}
        </span>
        {metered && (
          <span className="hidden text-xs text-faint phone:block">
            {peopleText.usage(account.credits.ai_minutes.balance, user.storage_used_bytes)}
          </span>
        )}
      </td>
      {metered && (
        <>
          <td className="min-w-32">
            <Select
              bare
              label={peopleText.tierOf(user.name)}
              value={account.tier}
              options={TIERS}
              disabled={change.isPending}
              onChange={(e) => setTier(e.target.value as Account['tier'])}
            />
            {account.subscription_status === 'trialing' && (
              <span className="mt-0.5 block text-xs whitespace-nowrap text-faint">
                {account.trial_ends_at ? peopleText.trialUntil(date(account.trial_ends_at)) : peopleText.trial}
              </span>
            )}
            {account.subscription_status === 'past_due' && (
              <span className="mt-0.5 block text-xs text-danger">{peopleText.paymentDeclined}</span>
            )}
          </td>
          <td className="text-right whitespace-nowrap phone:hidden">{number(account.credits.ai_minutes.balance, 2)}</td>
        </>
      )}
      <td className="text-right max-lg:hidden">{number(account.project_count)}</td>
      <td className={`text-right whitespace-nowrap ${metered ? 'phone:hidden' : ''}`}>
        {bytes(user.storage_used_bytes)}
      </td>
      <td className="w-8">
        <Menu account={account} metered={metered} onAdmin={(is_admin) => change.mutate({ is_admin })} />
        {tier && (
          <Confirm
            open
            onOpenChange={(open) => !open && setTier(null)}
            title={peopleText.confirmTier(user.name, tierName(tier))}
            yes={peopleText.setTier(tierName(tier))}
            onConfirm={() => {
              setTier(null)
              change.mutate({ tier })
            }}
          >
            {peopleText.confirmTierHelp}
          </Confirm>
        )}
      </td>
    </tr>
  )
}

interface MenuProps {
  account: Account
  metered: boolean
  onAdmin: (admin: boolean) => void
}

function Menu({ account, metered, onAdmin }: MenuProps) {
  const { user } = account
  const me = useQuery(sessionQuery).data
  const [dialog, setDialog] = useState<'admin' | 'beta' | 'delete' | null>(null)
  const remove = useServerChange(removePerson, STALE, () => toast(peopleText.deleted(user.name)))
  const close = (open: boolean) => !open && setDialog(null)
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger
          aria-label={peopleText.actionsFor(user.name)}
          className="inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
        >
          <EllipsisVertical size={16} />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content align="end" className={menuClass} onCloseAutoFocus={returnFocus}>
            {metered && (
              <DropdownMenu.Item className={menuItemClass} onSelect={() => setDialog('beta')}>
                <Sparkles size={14} /> {peopleText.betaItem}
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Item className={menuItemClass} onSelect={() => setDialog('admin')}>
              <ShieldCheck size={14} /> {user.is_admin ? peopleText.removeAdmin : peopleText.makeAdmin}
            </DropdownMenu.Item>
            {user.uuid !== me?.uuid && (
              <DropdownMenu.Item className={`${menuItemClass} text-danger`} onSelect={() => setDialog('delete')}>
                <Trash2 size={14} /> {peopleText.deleteItem}
              </DropdownMenu.Item>
            )}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Confirm
        open={dialog === 'admin'}
        onOpenChange={close}
        title={user.is_admin ? peopleText.confirmRemoveAdmin(user.name) : peopleText.confirmMakeAdmin(user.name)}
        yes={user.is_admin ? peopleText.removeAdmin : peopleText.makeAdmin}
        onConfirm={() => {
          setDialog(null)
          onAdmin(!user.is_admin)
        }}
      >
        {user.is_admin ? peopleText.removeAdminHelp : peopleText.makeAdminHelp}
      </Confirm>
      {dialog === 'beta' && <Beta account={account} onClose={() => setDialog(null)} />}
      <Confirm
        open={dialog === 'delete'}
        onOpenChange={close}
        title={peopleText.confirmDelete(user.name)}
        yes={commonText.deletePermanently}
        typed={user.username}
        busy={remove.isPending}
        onConfirm={() => remove.mutate(user.uuid, { onSettled: () => setDialog(null) })}
      >
        {peopleText.confirmDeleteHelp(account.project_count, bytes(user.storage_used_bytes))}
      </Confirm>
    </>
  )
}

function Beta({ account, onClose }: { account: Account; onClose: () => void }) {
  const { user } = account
  const grant = useServerChange(
    (v: { minutes: number; renewal: string | null }) => grantBeta(user.email, v.minutes, v.renewal),
    [...STALE, billingQuery.queryKey, allMovements.queryKey],
    () => {
      toast.success(peopleText.creditsSet(user.name))
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
      title={peopleText.betaCredits(user.name)}
      description={peopleText.betaHelp}
    >
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <Field
          label={peopleText.aiMinutes}
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
          label={peopleText.renewal}
          name="renewal"
          type="date"
          hint={peopleText.renewalHelp}
          error={form.fields['renewal_date']}
        />
        <FormActions action={peopleText.setCredits} disabled={form.busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
