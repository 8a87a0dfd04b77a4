import type { ReactNode } from 'react'

interface TableProps {
  label: string
  /** The cells of the header, as Column. */
  head: ReactNode
  /** The rows. */
  children: ReactNode
  className?: string
}

/** A table. One that does not fit scrolls horizontally within its frame. */
export function Table({ label, head, children, className = '' }: TableProps) {
  return (
    <div className={`relative -mx-5 overflow-x-auto px-5 ${className}`}>
      <table
        aria-label={label}
        className="w-full border-collapse text-sm [&_td]:border-t [&_td]:border-line [&_td]:py-2 [&_td]:pr-4 [&_td]:align-middle [&_td:last-child]:pr-0 [&_th]:pb-2 [&_th]:pr-4 [&_th]:text-xs [&_th]:font-medium [&_th]:whitespace-nowrap [&_th]:text-faint [&_th:last-child]:pr-0"
      >
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

/** A cell of the header. */
export function Column({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <th scope="col" className={className}>
      {children}
    </th>
  )
}
