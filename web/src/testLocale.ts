// Runs before all tests: texts are formatted as in an English browser, whatever the locale of the machine is.
const navigator = (globalThis.navigator ??= {} as Navigator)
Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true })
