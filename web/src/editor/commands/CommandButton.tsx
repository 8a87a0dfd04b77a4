import type { LucideIcon } from 'lucide-react'
import { IconButton } from '../../ui/Button'
import type { CommandName } from './commands'
import { useCommand } from './useCommand'

interface CommandButtonProps {
  name: CommandName
  /** Replaces the label of the command. */
  label?: string
  /** Replaces the icon of the command. */
  icon?: LucideIcon
  /** Disables the button for a reason that the command does not know. */
  disabled?: boolean
  /** Size of the icon in pixels. */
  size?: number
  className?: string
}

/** An icon button that runs a command; its tooltip shows the label and the shortcut. */
export function CommandButton({ name, label, icon, disabled = false, size = 16, className = '' }: CommandButtonProps) {
  const { keys, enabled, run, ...command } = useCommand(name)
  const Icon = icon ?? command.icon
  return (
    <IconButton
      label={label ?? command.label}
      keys={keys}
      disabled={disabled || !enabled}
      className={className}
      onClick={run}
    >
      <Icon size={size} aria-hidden />
    </IconButton>
  )
}
