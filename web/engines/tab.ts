/** A place in the page, in pixels. */
export interface Point {
  x: number
  y: number
}

/** A tab of a browser, with as little as the jobs need, so that each engine can have its own driver. */
export interface Tab {
  open: (url: string) => Promise<unknown>
  /** Runs a function in the page with arguments that JSON can hold, and waits for its result. */
  run: <A extends unknown[], R>(task: (...given: A) => R | Promise<R>, ...given: A) => Promise<R>
  /** Presses the mouse button at the first point, moves through the others and releases it. */
  drag: (...points: [Point, ...Point[]]) => Promise<void>
  /** Presses a key by its name in events of the page, such as ArrowRight. */
  press: (key: string) => Promise<void>
  picture: () => Promise<Buffer>
  close: () => Promise<void>
}

/** The size of the page. */
export const WINDOW = { width: 1400, height: 900 }
