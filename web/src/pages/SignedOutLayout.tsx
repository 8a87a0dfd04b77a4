import { Outlet } from '@tanstack/react-router'
import { accountText } from '../text/account'
import { commonText } from '../text/common'
import { Logo } from '../ui/Logo'
import { ThemeButton } from '../ui/ThemeButton'

/** The layout of pages that need no session. */
export function SignedOutLayout() {
  return (
    <main className="relative flex min-h-full flex-col items-center justify-center bg-canvas px-6 py-12">
      <div className="absolute top-4 right-4">
        <ThemeButton />
      </div>
      <div className="w-full max-w-sm">
        <div className="mb-8 flex flex-col items-center gap-3 text-center">
          <Logo size={48} />
          <div>
            <p className="text-lg font-semibold tracking-tight">{commonText.appName}</p>
            <p className="text-sm text-muted">{accountText.tagline}</p>
          </div>
        </div>
        <div className="rounded-xl border border-line bg-surface p-6">
          <Outlet />
        </div>
      </div>
    </main>
  )
}
