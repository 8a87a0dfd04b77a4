import type { ComponentProps, ReactNode } from 'react'
import { twMerge } from 'tailwind-merge'
import { Tip } from './Tip'

type Variant = 'primary' | 'plain' | 'quiet' | 'danger'

const VARIANTS: Record<Variant, string> = {
  // A transparent border is visible with forced colors, which remove backgrounds.
  primary: 'border border-transparent bg-accent text-accent-ink font-semibold hover:bg-accent-hover',
  plain: 'bg-raised text-ink border border-line hover:bg-hover hover:border-strong',
  quiet: 'text-muted hover:bg-hover hover:text-ink',
  danger: 'bg-danger-soft text-danger border border-danger/40 hover:border-danger',
}

const base =
  'inline-flex shrink-0 select-none items-center justify-center gap-2 whitespace-nowrap rounded-md font-medium transition-colors disabled:opacity-40 disabled:pointer-events-none'

interface ButtonProps extends ComponentProps<'button'> {
  variant?: Variant
  size?: 'md' | 'lg' | 'sm'
}

const SIZES = { sm: 'h-7 px-2 text-xs', md: 'h-8 px-3 text-sm', lg: 'h-10 px-4 text-sm' }

export function Button({ variant = 'plain', size = 'md', className, type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={twMerge(base, SIZES[size], VARIANTS[variant], className)} {...rest} />
}

interface IconButtonProps extends ComponentProps<'button'> {
  /** What the button does. Screen readers announce it, and the tooltip shows it with the shortcut. */
  label: string
  keys?: string | undefined
  pressed?: boolean
  children: ReactNode
}

export function IconButton({ label, keys, pressed, className, type = 'button', ...rest }: IconButtonProps) {
  const state = pressed
    ? 'border border-transparent bg-accent-soft text-accent'
    : 'text-muted hover:bg-hover hover:text-ink'

  return (
    <Tip text={label} keys={keys}>
      <button
        type={type}
        aria-label={label}
        aria-pressed={pressed}
        className={twMerge(
          'inline-flex size-8 shrink-0 items-center justify-center rounded-md transition-colors disabled:pointer-events-none disabled:opacity-35',
          state,
          className,
        )}
        {...rest}
      />
    </Tip>
  )
}
