import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { LogOut, UserPlus } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { logout, sessionQuery, signInOptionsQuery, type User } from '../api/session'
import { menuItem, menuLook } from '../ui/menu'
import { Invitations } from './Invitations'

export function AccountMenu({ user }: { user: User }) {
  const queryClient = useQueryClient()
  const router = useRouter()
  const options = useQuery({ ...signInOptionsQuery, enabled: user.is_admin })
  const [inviting, setInviting] = useState(false)
  const canInvite = user.is_admin && options.data?.signup === 'invite'
  const signOut = () => {
    logout()
      .then(() => {
        queryClient.clear()
        queryClient.setQueryData(sessionQuery.queryKey, null)
        return router.invalidate()
      })
      .catch((error: unknown) => toast.error(messageOf(error)))
  }
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger aria-label={`Account of ${user.name}`} className="inline-flex size-8 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent uppercase hover:bg-hover">
          {user.name.slice(0, 1) || '·'}
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content align="end" sideOffset={6} className={menuLook}>
            <DropdownMenu.Label className="px-2 py-1.5">
              <span className="block text-sm font-semibold">{user.name}</span>
              <span className="block text-xs text-faint">{user.email}</span>
            </DropdownMenu.Label>
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            {canInvite && (
              <DropdownMenu.Item className={menuItem} onSelect={() => setInviting(true)}>
                <UserPlus size={14} /> Invite people
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Item className={menuItem} onSelect={signOut}>
              <LogOut size={14} /> Sign out
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Invitations open={inviting} onOpenChange={setInviting} />
    </>
  )
}
