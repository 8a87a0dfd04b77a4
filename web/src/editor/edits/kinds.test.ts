import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { colorVariable, CUT_KINDS } from './kinds'

const styles = readFileSync('src/styles.css', 'utf8')

test.each(CUT_KINDS)('$name has a color', ({ name }) => {
  expect(styles).toContain(`  ${colorVariable(name)}: light-dark(`)
})
