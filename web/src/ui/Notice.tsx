import { CircleAlert, Info } from 'lucide-react'
import type { ReactNode } from 'react'

interface NoticeProps {
  tone?: 'info' | 'danger'
  title: string
  children?: ReactNode
  action?: ReactNode
}

/** A message box: the event, its consequence, and the next step. */
export function Notice({ tone = 'info', title, children, action }: NoticeProps) {
  const Icon = tone === 'danger' ? CircleAlert : Info
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      className={`flex gap-3 rounded-lg border p-3 text-sm ${tone === 'danger' ? 'border-danger/40 bg-danger-soft' : 'border-line bg-raised'}`}
    >
      <Icon size={16} className={`mt-0.5 shrink-0 ${tone === 'danger' ? 'text-danger' : 'text-accent'}`} aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        {children && <div className="mt-0.5 text-muted first-letter:uppercase">{children}</div>}
        {action && <div className="mt-2 flex gap-2">{action}</div>}
      </div>
    </div>
  )
}
