import { useEffect, useState } from "react"
import { asApiError } from "../api/errors"
import { Fault } from "../parts/Notice"
import { explained, t } from "../words/words"
import { readPushState, subscribe, testPush, unsubscribe, type PushState } from "./push"

/** Notices in this browser: on, off, or why not. */
export function PushSwitch() {
  const [state, setState] = useState<PushState | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [isSent, setSent] = useState(false)
  const run = (work: Promise<PushState>) => {
    setError(null)
    work.then(setState, (fault: unknown) => setError(explained(asApiError(fault))))
  }
  useEffect(() => run(readPushState()), [])
  const test = () => {
    setError(null)
    testPush().then(() => setSent(true), (fault: unknown) => setError(explained(asApiError(fault))))
  }
  return (
    <div className="stack">
      {state?.kind === "impossible" && <p className="small">{state.why}</p>}
      {state?.kind === "denied" && <p className="small">{t("push.denied")}</p>}
      {state?.kind === "off" && <button type="button" className="yes" onClick={() => run(subscribe())}>{t("push.turnOn")}</button>}
      {state?.kind === "on" && (
        <div className="row">
          <span className="grow">{t("push.isOn")}</span>
          <button type="button" onClick={test}>{isSent ? t("push.sent") : t("push.test")}</button>
          <button type="button" className="quiet" onClick={() => run(unsubscribe(state.token))}>{t("push.turnOff")}</button>
        </div>
      )}
      <Fault error={error} />
    </div>
  )
}
