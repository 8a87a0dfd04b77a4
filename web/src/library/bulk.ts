/** Requests of one kind that are on their way at once. */
const AT_ONCE = 4

/** What became of doing something to many assets. */
export interface Outcome {
  done: number
  failed: number
  /** What the first one that failed threw. */
  reason: unknown
}

/** Does something to each of many, some at a time; one that fails does not keep the others from it. */
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
