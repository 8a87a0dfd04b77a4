// An ESLint rule: texts of the UI belong into the catalogues in src/text, so that they can be translated.

const hasWords = (text) => /\p{L}{2,}/u.test(text)

/** Attributes and options whose value people read. */
const TEXT_ATTRIBUTES = new Set([
  'action',
  'alt',
  'aria-description',
  'aria-label',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
  'description',
  'heading',
  'help',
  'hint',
  'label',
  'meaning',
  'no',
  'placeholder',
  'summary',
  'text',
  'title',
  'what',
  'words',
  'yes',
])

/** Object properties whose value people read. */
const TEXT_PROPERTIES = new Set(['description', 'help', 'hint', 'label', 'title'])

/** Reports all literals with words that an expression can evaluate to. */
function checkValue(context, node) {
  switch (node?.type) {
    case 'Literal':
      if (typeof node.value === 'string' && hasWords(node.value)) context.report({ node, messageId: 'inline' })
      break
    case 'TemplateLiteral':
      if (node.quasis.some((q) => hasWords(q.value.cooked ?? ''))) context.report({ node, messageId: 'inline' })
      break
    case 'ConditionalExpression':
      checkValue(context, node.consequent)
      checkValue(context, node.alternate)
      break
    case 'LogicalExpression':
      checkValue(context, node.left)
      checkValue(context, node.right)
      break
    case 'BinaryExpression':
      if (node.operator !== '+') break
      checkValue(context, node.left)
      checkValue(context, node.right)
      break
    case 'JSXExpressionContainer':
    case 'TSAsExpression':
      checkValue(context, node.expression)
      break
  }
}

const nameOf = (key) => (key.type === 'Identifier' || key.type === 'JSXIdentifier' ? key.name : key.value)

/** Whether a call shows its first argument: toast() or toast.error(). */
const isToast = (callee) =>
  callee.type === 'MemberExpression' ? isToast(callee.object) : callee.type === 'Identifier' && callee.name === 'toast'

export const noInlineText = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { inline: 'Move this text into a catalogue in src/text.' },
  },
  create: (context) => ({
    JSXText(node) {
      if (hasWords(node.value)) context.report({ node, messageId: 'inline' })
    },
    JSXAttribute(node) {
      if (TEXT_ATTRIBUTES.has(nameOf(node.name))) checkValue(context, node.value)
    },
    JSXExpressionContainer(node) {
      if (node.parent.type !== 'JSXAttribute') checkValue(context, node.expression)
    },
    Property(node) {
      const owner = node.parent.parent
      if (owner.type === 'Property' && nameOf(owner.key) === 'classNames') return
      if (TEXT_PROPERTIES.has(nameOf(node.key))) checkValue(context, node.value)
    },
    CallExpression(node) {
      if (isToast(node.callee)) checkValue(context, node.arguments[0])
    },
    AssignmentExpression(node) {
      if (node.left.type === 'MemberExpression' && nameOf(node.left.property) === 'title')
        checkValue(context, node.right)
    },
  }),
}
