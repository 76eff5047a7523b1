import { t } from "../words/words"

/** In place of everything, once this browser's sign-in has ended. */
export function SignedOut() {
  return (
    <main className="welcome">
      <h1>{t("app")}</h1>
      <p role="status">{t("connection.signedOut")}</p>
      <p className="soft">{t("connection.wiped")}</p>
      <p><a className="button yes" href="./">{t("connection.signIn")}</a></p>
    </main>
  )
}
