import { getRouteApi } from '@tanstack/react-router'
import { sendVerification, verifyEmail } from '../api/session'
import { accountText } from '../text/account'
import { Notice } from '../ui/Notice'
import { MailedToken } from './MailedToken'
import { MailForm } from './MailForm'

const route = getRouteApi('/account/verify-email')

/** The target of the link in the email that verifies the address of a new account. */
export function VerifyEmail() {
  const { token } = route.useSearch()
  return (
    <MailedToken
      token={token}
      send={verifyEmail}
      question={accountText.verifyQuestion}
      action={accountText.verifyAddress}
      done={accountText.addressVerified}
      refused={(message) => (
        <MailForm send={sendVerification} purpose="verify" action={accountText.sendNewLink} back={accountText.signIn}>
          <Notice tone="danger" title={accountText.linkInvalid}>
            {message}
          </Notice>
        </MailForm>
      )}
    />
  )
}
