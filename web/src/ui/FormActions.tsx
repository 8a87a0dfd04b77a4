import { commonText } from '../text/common'
import { Button } from './Button'

interface FormActionsProps {
  /** The label of the button that submits the form. */
  action: string
  disabled: boolean
  onCancel: () => void
}

/** The buttons at the end of a form in a dialog. */
export function FormActions({ action, disabled, onCancel }: FormActionsProps) {
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={onCancel}>{commonText.cancel}</Button>
      <Button variant="primary" type="submit" disabled={disabled}>
        {action}
      </Button>
    </div>
  )
}
