import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import {
  AudioLines,
  CircleHelp,
  CreditCard,
  HardDrive,
  KeyRound,
  Mail,
  MessageSquareText,
  Palette,
  Server,
  SlidersHorizontal,
  User,
  Users,
  type LucideIcon,
} from 'lucide-react'
import { billingQuery } from '../../api/billing'
import { sessionQuery } from '../../api/session'
import { settingsText } from '../../text/settings'
import { Select } from '../../ui/Select'
import { Shell } from '../Shell'
import { SETTINGS_PAGES, type SettingsPage, type SettingsPath } from './pages'

const ICONS: Record<SettingsPath, LucideIcon> = {
  '/settings/profile': User,
  '/settings/security': KeyRound,
  '/settings/plan': CreditCard,
  '/settings/presets': SlidersHorizontal,
  '/settings/words': MessageSquareText,
  '/settings/models': AudioLines,
  '/settings/storage': HardDrive,
  '/settings/appearance': Palette,
  '/settings/help': CircleHelp,
  '/settings/people': Users,
  '/settings/mail': Mail,
  '/settings/server': Server,
}

/** The layout of the settings: the navigation on the left, or as a list above in a narrow window, and the page. */
export function SettingsLayout() {
  const user = useQuery(sessionQuery).data
  const billing = useQuery(billingQuery)
  const metered = billing.data?.plan_mode === 'metered'
  const all: { name: string; pages: readonly SettingsPage[] }[] = [
    {
      name: settingsText.settings,
      pages: SETTINGS_PAGES.filter((p) => !p.admin && (metered || p.to !== '/settings/plan')),
    },
    ...(user?.is_admin ? [{ name: settingsText.server, pages: SETTINGS_PAGES.filter((p) => p.admin) }] : []),
  ]

  const groups = billing.isPending ? [] : all // a link that came late would move those below it
  return (
    <Shell>
      <div className="mx-auto flex w-full max-w-6xl flex-1 gap-6 px-6 py-8 lg:gap-10 phone:flex-col phone:gap-4 phone:px-4 phone:py-4">
        <PageSelect pages={groups.flatMap((group) => group.pages)} />
        <nav
          aria-label={settingsText.settings}
          className="sticky top-22 flex max-h-[calc(100vh-112px)] w-44 shrink-0 flex-col gap-6 self-start overflow-y-auto lg:w-52 phone:hidden"
        >
          {groups.map((group) => (
            <div key={group.name}>
              <p className="mb-1 px-2 text-xs font-medium text-faint">{group.name}</p>
              <ul className="flex flex-col gap-0.5">
                {group.pages.map((page) => {
                  const Icon = ICONS[page.to]
                  return (
                    <li key={page.to}>
                      <Link
                        to={page.to}
                        className="flex h-8 items-center gap-2.5 rounded-md px-2 text-sm transition-colors hover:text-ink"
                        inactiveProps={{ className: 'text-muted hover:bg-hover' }}
                        activeProps={{
                          className: 'bg-surface font-semibold text-ink shadow-[inset_0_0_0_1px_var(--line)]',
                          'aria-current': 'page',
                        }}
                      >
                        <Icon size={15} aria-hidden /> {page.title}
                      </Link>
                    </li>
                  )
                })}
              </ul>
            </div>
          ))}
        </nav>
        <main className="min-w-0 max-w-3xl flex-1">
          <Outlet />
        </main>
      </div>
    </Shell>
  )
}

// PageSelect replaces the navigation in a narrow window.
function PageSelect({ pages }: { pages: readonly SettingsPage[] }) {
  const navigate = useNavigate()
  const path = useLocation({ select: (location) => location.pathname })
  return (
    <nav aria-label={settingsText.settings} className="hidden phone:block">
      <Select
        label={settingsText.page}
        bare
        value={pages.find((page) => page.to === path)?.to}
        options={pages.map((page) => ({ value: page.to, label: page.title }))}
        onChange={(e) => void navigate({ to: e.currentTarget.value })}
      />
    </nav>
  )
}
