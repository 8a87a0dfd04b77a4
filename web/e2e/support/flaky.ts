import type { FullResult, Reporter, Suite, TestCase } from '@playwright/test/reporter'

/** Names the tests that passed only at the second try, as the last lines of the output. */
export default class Flaky implements Reporter {
  private suite: Suite | undefined

  onBegin(_config: unknown, suite: Suite) {
    this.suite = suite
  }

  onEnd(result: FullResult) {
    const tests = this.suite?.allTests() ?? []
    const of = (outcome: ReturnType<TestCase['outcome']>) => tests.filter((test) => test.outcome() === outcome)
    const flaky = of('flaky')
    console.log(
      `pages: ${of('expected').length} passed, ${of('unexpected').length} failed, ${flaky.length} flaky (${result.status})`,
    )

    for (const test of flaky)
      console.log(`FLAKY: ${test.titlePath().slice(2).join(' › ')}. Find the cause before anything else.`)
  }

  printsToStdio() {
    return true
  }
}
