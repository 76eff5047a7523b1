import { useState } from "react"
import { part, send } from "../api/http"
import { asApiError } from "../api/errors"
import type { Session } from "../api/types"
import { useStore } from "../lib/store"
import { Dialog } from "../parts/Dialog"
import { Fault } from "../parts/Notice"
import { mayRespond } from "../state/me"
import { say } from "../state/toast"
import { explained, t } from "../words/words"

/** Ends the turn of a session that works, at its next tool. */
export function Interrupt({ session }: { session: Session }) {
  const mayAnswer = useStore(mayRespond)
  const [isAsking, setAsking] = useState(false)
  const [isSending, setSending] = useState(false)
  const [isSent, setSent] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const [cancels, setCancels] = useState(true)
  const isAgents = session.runner === "agent"
  if (!mayAnswer) return null
  const stop = () => {
    setSending(true)
    setError(null)
    const body = isAgents && cancels ? { cancel_queued: true } : {}
    send<{ cancelled?: string[] }>("POST", `/v1/sessions/${part(session.id)}/interrupt`, body).then((sent) => {
      const count = sent.cancelled?.length ?? 0
      if (count > 0) say(t("interrupt.cancelled", { n: count }))
      // The turn of an agent's session is over now, and the next one may be interrupted as well.
      if (!isAgents) setSent(true)
      setAsking(false)
    }, (fault: unknown) => {
      const failure = asApiError(fault)
      setError(failure.isOffline ? t("answer.offline") : failure.code === "not_reachable" ? t("interrupt.unreachable") : explained(failure))
    }).finally(() => setSending(false))
  }
  return (
    <>
      <button type="button" className="quiet" disabled={isSent} onClick={() => setAsking(true)}>{t(isSent ? "interrupt.sent" : "interrupt")}</button>
      {isAsking && (
        <Dialog title={t("interrupt")} onClose={() => setAsking(false)}>
          <p>{t(isAgents ? "interrupt.atOnce" : "interrupt.means")}</p>
          {isAgents && (
            <label className="row">
              <input type="checkbox" checked={cancels} onChange={(event) => setCancels(event.target.checked)} />
              <span>{t("interrupt.cancels")}</span>
            </label>
          )}
          <Fault error={error} />
          <div className="acts">
            <button type="button" className="yes" disabled={isSending} onClick={stop}>{t("confirm")}</button>
            <button type="button" onClick={() => setAsking(false)}>{t("cancel")}</button>
          </div>
        </Dialog>
      )}
    </>
  )
}
