import type { PointerEvent } from 'react'

interface BlockEdgeProps {
  side: 'left' | 'right'
  /** Classes of the color; none for an invisible edge. */
  className: string
  onPointerDown: (event: PointerEvent<HTMLElement>) => void
  onPointerMove: (event: PointerEvent<HTMLElement>) => void
  onPointerUp: () => void
  onPointerCancel: () => void
}

/** An end of a block. A pointer that drags it trims the block. */
export function BlockEdge({ side, className, ...handlers }: BlockEdgeProps) {
  return (
    <span
      data-edge={side}
      {...handlers}
      className={`absolute inset-y-0 z-1 w-1.5 cursor-ew-resize touch-none pointer-coarse:w-3 ${side === 'left' ? 'left-0' : 'right-0'} ${className}`}
    />
  )
}
