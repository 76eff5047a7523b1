import { asApiError } from "./api/errors"
import { signIn } from "./api/signin"
import { address } from "./lib/base"
import { browserName } from "./lib/browser"
import { loadWords, t } from "./words/words"

const approvalPause = 2_000

/** The page at `/pair`. With a secret in the fragment it signs this browser in; without one it stays a form. */
async function main(): Promise<void> {
  await loadWords()
  const secret = location.hash.slice(1)
  if (!secret) return
  // The secret is good once, but it need not stay in the history.
  history.replaceState(null, "", location.pathname)
  const status = document.getElementById("status") as HTMLElement
  const page = document.querySelector("main") as HTMLElement
  page.querySelectorAll(".operator").forEach((part) => part.remove())
  const say = (text: string, isFault = false) => {
    status.textContent = text
    status.className = isFault ? "fault" : ""
  }
  say(t("pair.working"))
  try {
    while (!(await signIn(decodeURIComponent(secret), browserName()))) {
      say(t("pair.approval"))
      await new Promise((done) => window.setTimeout(done, approvalPause))
    }
    location.replace(address(""))
  } catch (fault) {
    const error = asApiError(fault)
    say(error.isOffline ? t("fault.offline") : error.message, true)
  }
}

void main()
