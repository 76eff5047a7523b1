import { useEffect, useState } from "react"
import { get, part, send } from "../api/http"
import { asApiError, type ApiError } from "../api/errors"
import type { Session } from "../api/types"
import { useLoaded } from "../lib/load"
import { number } from "../lib/time"
import { oneLine } from "../lib/visible"
import { Ago } from "../parts/Age"
import { Dialog } from "../parts/Dialog"
import { Fault, Skeleton } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { changeDraft } from "../state/drafts"
import { say } from "../state/toast"
import { t } from "../words/words"
import { personsMessages, type PersonsMessage } from "./rewinding"

const kinds = ["both", "files", "conversation"] as const
type Kind = (typeof kinds)[number]
const labels = { both: "rewind.both", files: "rewind.onlyFiles", conversation: "rewind.conversation" } as const
/** Names of files that are shown. */
const mostNames = 12

interface Outcome {
  files: string[]
  insertions: number | null
  deletions: number | null
  text: string | null
}

/** Takes a session back to its state before one of the person's messages. What would change is shown first. */
export function Rewind({ session, onClose }: { session: Session; onClose: () => void }) {
  const { value: messages, error, again } = useLoaded(() => readMessages(session.id), [session.id])
  const [chosen, setChosen] = useState<PersonsMessage | null>(null)
  return (
    <Dialog title={t("rewind.title")} onClose={onClose}>
      <Fault error={error} again={again} />
      {!messages && !error && <Skeleton label={t("reading")} />}
      {messages?.length === 0 && <p className="soft">{t("rewind.none")}</p>}
      {!chosen && messages && messages.length > 0 && (
        <>
          <p>{t("rewind.choose")}</p>
          <ul className="choices" aria-label={t("rewind.messages")}>
            {messages.map((one) => (
              <li key={one.id}>
                <button type="button" className="quiet choice" onClick={() => setChosen(one)}>
                  <Ago className="faint small" time={one.at} /> <Plain text={oneLine(one.text, 160)} />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {chosen ? <Chosen session={session} message={chosen} onBack={() => setChosen(null)} onClose={onClose} /> : (
        <div className="acts"><button type="button" onClick={onClose}>{t("cancel")}</button></div>
      )}
    </Dialog>
  )
}

interface ChosenProps {
  session: Session
  message: PersonsMessage
  onBack: () => void
  onClose: () => void
}

function Chosen({ session, message, onBack, onClose }: ChosenProps) {
  const [what, setWhat] = useState<Kind>("both")
  const [plan, setPlan] = useState<Outcome | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [isSending, setSending] = useState(false)
  useEffect(() => {
    let isCurrent = true
    setPlan(null)
    setError(null)
    rewind(session.id, message.id, what, true).then((found) => isCurrent && setPlan(found), (fault: unknown) => isCurrent && setError(asApiError(fault)))
    return () => {
      isCurrent = false
    }
  }, [what])
  const run = () => {
    setSending(true)
    setError(null)
    rewind(session.id, message.id, what, false).then(({ text }) => {
      // The message can be sent again. What the person has typed meanwhile stays.
      if (text) changeDraft(session.id, (draft) => ({ text: draft.text.trim() ? draft.text : text }))
      say(t("rewind.done"))
      onClose()
    }, (fault: unknown) => setError(asApiError(fault))).finally(() => setSending(false))
  }
  return (
    <>
      <blockquote className="small"><Plain text={oneLine(message.text, 300)} /></blockquote>
      <fieldset className="stack">
        <legend>{t("rewind.what")}</legend>
        {kinds.map((kind) => (
          <label key={kind} className="row">
            <input type="radio" name="rewind" checked={what === kind} onChange={() => setWhat(kind)} />
            <span>{t(labels[kind])}</span>
          </label>
        ))}
      </fieldset>
      {!plan && !error && <Skeleton label={t("reading")} />}
      {plan && what !== "conversation" && <Plan plan={plan} />}
      {what !== "files" && <p className="small soft">{t("rewind.forgets")}</p>}
      <Fault error={error} />
      <div className="acts">
        <button type="button" className="danger" disabled={isSending || !plan} onClick={run}>{t("rewind.do")}</button>
        <button type="button" onClick={onBack}>{t("back")}</button>
      </div>
    </>
  )
}

/** What happens to the files. */
function Plan({ plan }: { plan: Outcome }) {
  if (plan.files.length === 0) return <p className="small soft">{t("rewind.noFiles")}</p>
  return (
    <>
      <p>{t("rewind.files", { n: number(plan.files.length), added: number(plan.insertions ?? 0), removed: number(plan.deletions ?? 0) })}</p>
      <ul className="small">
        {plan.files.slice(0, mostNames).map((file) => <li key={file} className="wrap"><code><Plain text={file} /></code></li>)}
        {plan.files.length > mostNames && <li className="soft">…</li>}
      </ul>
      <p className="small soft">{t("rewind.commands")}</p>
    </>
  )
}

function rewind(session: string, message: string, what: Kind, isTried: boolean): Promise<Outcome> {
  return send<Outcome>("POST", `/v1/sessions/${part(session)}/rewind`, { message_id: message, what, dry_run: isTried })
}

async function readMessages(session: string): Promise<PersonsMessage[]> {
  const page = await get<Parameters<typeof personsMessages>[0]>(`/v1/sessions/${part(session)}/messages`, { view: "blocks", order: "desc", limit: 200, text_limit: 600 })
  return personsMessages(page)
}
