import { RuleTester } from 'eslint'
import tseslint from 'typescript-eslint'
import { describe, it } from 'vitest'
import { noInlineText } from './no-inline-text.js'

RuleTester.describe = describe
RuleTester.it = it
const tester = new RuleTester({
  languageOptions: { parser: tseslint.parser, parserOptions: { ecmaFeatures: { jsx: true } } },
})

const errors = [{ messageId: 'inline' }]

tester.run('no-inline-text', noInlineText, {
  valid: [
    '<p className="mt-2 flex">{commonText.save}</p>',
    '<p>{count} · {size}</p>',
    '<Field label={commonText.name} name="name" autoComplete="off" />',
    '<Kbd>K</Kbd>',
    'toast.error(messageOf(error))',
    'const options = { classNames: { description: "text-muted wide" } }',
  ],
  invalid: [
    { code: '<p>Not found</p>', errors },
    { code: '<p>{busy ? "Saving" : commonText.save}</p>', errors },
    { code: '<p>{`${n} clips`}</p>', errors },
    { code: '<button aria-label="Close" />', errors },
    { code: '<Field hint={first && "At least ten"} />', errors },
    { code: 'toast("Saved")', errors },
    { code: 'toast.error("Not saved", { description: "Try again" })', errors: [...errors, ...errors] },
    { code: 'const options = [{ value: "top", label: "Top" }]', errors },
    { code: 'document.title = "Roughcut"', errors },
  ],
})
