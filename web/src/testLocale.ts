// Runs before all tests: texts are formatted as in an English browser, whatever the locale of the machine is.
globalThis.navigator ??= {} as Navigator
Object.defineProperty(globalThis.navigator, 'language', { value: 'en-US', configurable: true })
