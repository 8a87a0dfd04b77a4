import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { accountText as text } from '../text/account'

/** A link to the sign-in page. */
export function SignInLink({ className, children = text.signIn }: { className: string; children?: ReactNode }) {
  return (
    <Link to="/sign-in" search={{ next: undefined, notice: undefined, error: undefined }} className={className}>
      {children}
    </Link>
  )
}

/** Says that an account has changed, and leads to the sign-in page. */
export function AccountChanged({ title, hint }: { title: string; hint?: string | undefined }) {
  return (
    <div className="flex flex-col items-center gap-3 py-4 text-center" role="status">
      <CircleCheck size={32} className="text-accent" aria-hidden />
      <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
      {hint && <p className="text-sm text-muted">{hint}</p>}
      <SignInLink className="mt-2 rounded-md bg-accent px-4 py-2 font-semibold text-accent-ink hover:bg-accent-hover" />
    </div>
  )
}
