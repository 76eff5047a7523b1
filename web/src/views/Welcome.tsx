import { useState } from "react"
import { asApiError } from "../api/errors"
import { signIn } from "../api/signin"
import { base } from "../lib/base"
import { browserName } from "../lib/browser"
import { Command } from "../parts/Copy"
import { Fault } from "../parts/Notice"
import { explained, t } from "../words/words"

const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(base.hostname)
const approvalPause = 2_000

/** For a browser that is not signed in: how to pair it. */
export function Welcome() {
  const reach = isLoopback ? "" : ` --reach ${base.origin}${base.pathname.replace(/\/$/, "")}`
  return (
    <main className="welcome">
      <h1>{t("app")}</h1>
      <p>{t("welcome.text")}</p>
      <Command text={"monitorctl device pair --browser" + reach} />
      <p className="small soft">{t("welcome.where")}</p>
      {isLoopback ? <CodeForm /> : !window.isSecureContext && <Insecure />}
      <p className="small"><a href="docs">{t("about.docs")}</a></p>
    </main>
  )
}

/** A page that comes over plain HTTP from another machine cannot keep a cookie, and gets no notices. */
function Insecure() {
  return (
    <section className="fault">
      <p>{t("insecure.text")}</p>
      <ul>
        <li>{t("insecure.certificate")}</li>
        <li>{t("insecure.proxy")}</li>
      </ul>
    </section>
  )
}

function CodeForm() {
  const [code, setCode] = useState("")
  const [error, setError] = useState<string | null>(null)
  const [isWaiting, setWaiting] = useState(false)
  const submit = (event: Event) => {
    event.preventDefault()
    setError(null)
    setWaiting(true)
    void attempt(code.trim()).then(() => location.reload(), (fault: unknown) => {
      setError(explained(asApiError(fault)))
      setWaiting(false)
    })
  }
  return (
    <form className="stack" onSubmit={submit}>
      <label className="field"><b>{t("welcome.code")}</b>
        <input type="text" value={code} autoComplete="one-time-code" spellCheck={false} autoCapitalize="characters"
          placeholder="7K3M-P9QX" onChange={(event) => setCode(event.target.value)} />
      </label>
      <button type="submit" className="yes" disabled={isWaiting || !code.trim()}>
        {isWaiting ? t("welcome.waiting") : t("welcome.pair")}
      </button>
      <Fault error={error} />
    </form>
  )
}

/** Asks again until a person has approved the device, where the server wants that. */
async function attempt(secret: string): Promise<void> {
  while (!(await signIn(secret, browserName()))) await new Promise((done) => window.setTimeout(done, approvalPause))
}
