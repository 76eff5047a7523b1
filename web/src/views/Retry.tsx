import { useState } from "react"
import { part, send } from "../api/http"
import { asApiError } from "../api/errors"
import type { Session } from "../api/types"
import { useSelected, useStore } from "../lib/store"
import { Fault } from "../parts/Notice"
import { mayRespond } from "../state/me"
import { lookedAt } from "../state/seen"
import { activities } from "../state/sessions"
import { explained, named, t } from "../words/words"

/** What a person can do about a turn that an error or a limit ended. */
export function Retry({ session }: { session: Session }) {
  const reason = useSelected(activities, (all) => all.get(session.id)?.text ?? "")
  const mayAnswer = useStore(mayRespond)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const again = () => {
    setSending(true)
    setError(null)
    send("POST", `/v1/sessions/${part(session.id)}/input`, { message_id: crypto.randomUUID(), text: t("retry.text") }).then(
      () => lookedAt(session.id),
      (fault: unknown) => setError(explained(asApiError(fault))),
    ).finally(() => setSending(false))
  }
  const remedy = named("remedy", reason)
  return (
    <div className="retry">
      <p className="small soft grow">{remedy === reason.replace(/_/g, " ") ? t("remedy.unknown") : remedy}</p>
      {mayAnswer && session.accepts_messages !== false && (
        <button type="button" disabled={isSending} onClick={again}>{t("retry")}</button>
      )}
      <button type="button" className="quiet" onClick={() => lookedAt(session.id)}>{t("retry.seen")}</button>
      <Fault error={error} />
    </div>
  )
}
