import js from '@eslint/js'
import stylistic from '@stylistic/eslint-plugin'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'
import { noInlineText } from './eslint/no-inline-text.js'

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'src/api/schema.ts'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    plugins: { 'react-hooks': reactHooks },
    rules: {
      ...reactHooks.configs.recommended.rules,
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      'max-lines-per-function': ['error', { max: 100, skipBlankLines: true, skipComments: true }],
      'max-lines': ['error', 700],
    },
  },
  {
    // Blank lines set the steps of a function apart: one follows each statement and each function of several lines.
    files: ['**/*.{ts,tsx,js,mjs}'],
    plugins: { '@stylistic': stylistic },
    rules: {
      '@stylistic/padding-line-between-statements': [
        'error',
        {
          blankLine: 'always',
          prev: ['multiline-block-like', 'multiline-const', 'multiline-let', 'multiline-expression'],
          next: '*',
        },
      ],
      '@stylistic/lines-between-class-members': ['error', 'always', { exceptAfterSingleLine: true }],
    },
  },
  {
    files: ['src/editor/timeline/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/state/contexts'],
              importNames: ['useWords'],
              message: 'The timeline must not render again when a word changes; read words through useEditorAccess.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/text/**', '**/*.test.ts'],
    plugins: { texts: { rules: { 'no-inline-text': noInlineText } } },
    rules: { 'texts/no-inline-text': 'error' },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/api/storage.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['localStorage', 'sessionStorage'].map((name) => ({
          name,
          message: 'It is null or throws in some browsers. Use src/api/storage.ts.',
        })),
      ],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/ui/clipboard.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...[
          ['crypto', 'randomUUID', 'src/api/randomUUID.ts'],
          ['crypto', 'subtle', 'nothing of it'],
          ['navigator', 'clipboard', 'src/ui/clipboard.ts'],
        ].map(([object, property, use]) => ({
          object,
          property,
          message: `It is missing on pages over plain HTTP from another machine. Use ${use}.`,
        })),
      ],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/api/**', 'src/library/usePeaks.ts', 'src/pages/MailedToken.tsx'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "Property[key.name='queryKey'] > ArrayExpression",
          message: 'Take the key from the query of the resource in src/api.',
        },
        {
          selector:
            'JSXAttribute[name.name="className"] :matches(Literal[value=/(^|[ :])![a-z]/], TemplateElement[value.raw=/(^|[ :])![a-z]/])',
          message: 'Merge the classes with twMerge instead of an important one.',
        },
      ],
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        document: 'readonly',
        localStorage: 'readonly',
        location: 'readonly',
        fetch: 'readonly',
        window: 'readonly',
        HTMLVideoElement: 'readonly',
        HTMLMediaElement: 'readonly',
        requestAnimationFrame: 'readonly',
        performance: 'readonly',
        AbortController: 'readonly',
        WheelEvent: 'readonly',
        DataTransfer: 'readonly',
        DragEvent: 'readonly',
        File: 'readonly',
        OffscreenCanvas: 'readonly',
        PointerEvent: 'readonly',
        MutationObserver: 'readonly',
        navigator: 'readonly',
        btoa: 'readonly',
      },
    },
  },
)
