import { useId, type ReactNode } from 'react'

interface SectionProps {
  title: string
  description?: ReactNode
  /** Buttons next to the title. */
  action?: ReactNode
  danger?: boolean
  children: ReactNode
}

/** A section of a settings page. */
export function Section({ title, description, action, danger, children }: SectionProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className={`rounded-xl border bg-surface ${danger ? 'border-danger/40' : 'border-line'}`}
    >
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-5 pt-4">
        <div className="min-w-0 flex-1 phone:basis-full">
          <h2 id={id} className="text-base font-semibold tracking-tight">
            {title}
          </h2>
          {description && <p className="max-w-prose text-sm text-pretty text-muted">{description}</p>}
        </div>
        {action}
      </div>
      <div className="px-5 pt-4 pb-5">{children}</div>
    </section>
  )
}
