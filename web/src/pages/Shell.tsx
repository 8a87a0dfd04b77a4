import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { sessionQuery } from '../api/session'
import { commonText } from '../text/common'
import { shellText } from '../text/shell'
import { Logo } from '../ui/Logo'
import { ThemeButton } from '../ui/ThemeButton'
import { AccountMenu } from './AccountMenu'
import { UploadsPanel } from './UploadsPanel'

interface ShellProps {
  /** The search field in the header. */
  search?: ReactNode
  /** Whether the page fills the window and scrolls its own content. */
  fill?: boolean
  children: ReactNode
}

const linkClass =
  'relative inline-flex h-14 items-center px-3 text-sm font-medium text-muted transition-colors hover:text-ink aria-[current=page]:text-ink aria-[current=page]:after:absolute aria-[current=page]:after:inset-x-3 aria-[current=page]:after:bottom-0 aria-[current=page]:after:h-0.5 aria-[current=page]:after:rounded-full aria-[current=page]:after:bg-accent focus-visible:-outline-offset-4'

/** The layout of pages outside of the editor: a header with navigation and account menu, and the uploads panel. */
export function Shell({ search, fill = false, children }: ShellProps) {
  const user = useQuery(sessionQuery).data
  return (
    <div className={`flex flex-col bg-canvas ${fill ? 'h-full overflow-hidden' : 'min-h-full'}`}>
      <header className="sticky top-0 z-20 flex min-h-14 shrink-0 flex-wrap items-center gap-x-4 border-b border-line bg-surface px-4 md:flex-nowrap md:px-6">
        <span className="flex items-center gap-2 font-semibold tracking-tight">
          <Logo />
          <span className="hidden lg:inline">{commonText.appName}</span>
        </span>
        <nav aria-label={shellText.mainNavigation} className="flex shrink-0">
          <Link to="/" className={linkClass} activeOptions={{ exact: true }}>
            {shellText.projects}
          </Link>
          <Link to="/library" search={{}} className={linkClass} activeOptions={{ includeSearch: false }}>
            {shellText.library}
          </Link>
        </nav>
        {search && (
          <div className="contents phone:order-last phone:-mt-1 phone:block phone:w-full phone:pb-3">{search}</div>
        )}
        <div className="ml-auto flex items-center gap-1">
          <ThemeButton />
          {user && <AccountMenu user={user} />}
        </div>
      </header>
      {children}
      <UploadsPanel />
    </div>
  )
}
