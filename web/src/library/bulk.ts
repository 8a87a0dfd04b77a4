/** The maximum number of concurrent requests. */
const AT_ONCE = 4

/** The result of an action on several items. */
export interface Outcome {
  done: number
  failed: number
  /** The error of the first failure. */
  reason: unknown
}

/** Runs an action for each item, several at a time. A failure does not stop the others. */
export async function forEach<T>(items: Iterable<T>, act: (item: T) => Promise<unknown>): Promise<Outcome> {
  const queue = [...items]
  const outcome: Outcome = { done: 0, failed: 0, reason: null }
  const work = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      try {
        await act(item)
        outcome.done++
      } catch (error) {
        outcome.failed++
        outcome.reason ??= error
      }
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return outcome
}
