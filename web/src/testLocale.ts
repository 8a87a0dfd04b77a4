// Runs before all tests: texts are formatted as in an English browser, whatever the locale of the machine is.
const browser = (globalThis.navigator ??= {} as Navigator)
Object.defineProperty(browser, 'language', { value: 'en-US', configurable: true })
