import { Link } from '@tanstack/react-router'
import { CircleHelp, LogOut, Server, Settings, UserPlus } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { logout, type User } from '../api/session'
import { accountText } from '../text/account'
import { shellText } from '../text/shell'
import { menuItemClass, menuClass } from '../ui/menu'
import { useEndSession } from './useEndSession'
import { returnFocus } from '../ui/home'

export function AccountMenu({ user }: { user: User }) {
  const endSession = useEndSession()
  const signOut = () => {
    endSession(logout).catch((error: unknown) => toast.error(messageOf(error)))
  }

  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label={shellText.accountOf(user.name)}
        className="inline-flex size-8 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent uppercase hover:bg-hover"
      >
        {[...user.name][0] ?? '·'}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" sideOffset={6} className={menuClass} onCloseAutoFocus={returnFocus}>
          <DropdownMenu.Label className="max-w-72 px-2 py-1.5">
            <span dir="auto" className="block truncate text-left text-sm font-semibold">
              {user.name}
            </span>
            <span className="block truncate text-xs text-faint">{user.email}</span>
          </DropdownMenu.Label>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Item asChild className={menuItemClass}>
            <Link to="/settings/profile">
              <Settings size={14} /> {shellText.settings}
            </Link>
          </DropdownMenu.Item>
          {user.is_admin && (
            <>
              <DropdownMenu.Item asChild className={menuItemClass}>
                <Link to="/settings/people">
                  <UserPlus size={14} /> {shellText.invitePeople}
                </Link>
              </DropdownMenu.Item>
              <DropdownMenu.Item asChild className={menuItemClass}>
                <Link to="/settings/server">
                  <Server size={14} /> {shellText.server}
                </Link>
              </DropdownMenu.Item>
            </>
          )}
          <DropdownMenu.Item asChild className={menuItemClass}>
            <Link to="/settings/help">
              <CircleHelp size={14} /> {shellText.help}
            </Link>
          </DropdownMenu.Item>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Item className={menuItemClass} onSelect={signOut}>
            <LogOut size={14} /> {accountText.signOut}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
