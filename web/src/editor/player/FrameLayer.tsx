import type { ReactNode } from 'react'
import { useFrameSize } from '../state/useFrameSize'

/** A layer over the preview with the shape of its frame. Only its children receive pointers. */
export function FrameLayer({ children }: { children: ReactNode }) {
  const { width, height } = useFrameSize()
  return (
    <div
      data-frame
      className="pointer-events-none absolute top-1/2 left-1/2 -translate-x-1/2 -translate-y-1/2"
      style={{ width: `min(100cqw, ${(100 * width) / height}cqh)`, aspectRatio: `${width} / ${height}` }}
    >
      {children}
    </div>
  )
}
