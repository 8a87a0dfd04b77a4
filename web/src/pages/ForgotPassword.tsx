import { requestPasswordReset } from '../api/session'
import { accountText } from '../text/account'
import { MailForm } from './MailForm'

export function ForgotPassword() {
  return (
    <MailForm
      send={requestPasswordReset}
      purpose="reset"
      action={accountText.sendLink}
      back={accountText.backToSignIn}
      autoFocus
    >
      <div>
        <h1 className="text-lg font-semibold tracking-tight">{accountText.resetTitle}</h1>
        <p className="mt-1 text-sm text-muted">{accountText.resetHelp}</p>
      </div>
    </MailForm>
  )
}
