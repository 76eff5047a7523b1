import { useEffect, useId, useState } from "react"
import { get, part, send } from "../api/http"
import { asApiError } from "../api/errors"
import type { Message, Session } from "../api/types"
import { Commands } from "../drive/Commands"
import { imagesOf, PictureButton, PictureList, usePictures } from "../drive/Pictures"
import { follow } from "../live/session"
import { useStore } from "../lib/store"
import { oneLine } from "../lib/visible"
import { Plain } from "../parts/Plain"
import { changeDraft, useDraft } from "../state/drafts"
import { mayRespond } from "../state/me"
import { explained, named, t } from "../words/words"

/** A message to the session, and what became of those that were sent. What is typed stays with its session. */
export function MessageBox({ session }: { session: Session }) {
  const { text, isSending, error } = useDraft(session.id)
  const mayAnswer = useStore(mayRespond)
  const [messages, reload] = useMessages(session.id)
  const pictures = usePictures(session.id)
  const id = useId()
  const submit = (event: Event) => {
    event.preventDefault()
    say()
  }
  const say = (form?: "command") => {
    const message = text.trim()
    if (!message || isSending) return
    changeDraft(session.id, () => ({ isSending: true, error: null }))
    send<Message>("POST", `/v1/sessions/${part(session.id)}/input`, {
      message_id: crypto.randomUUID(), text: message, ...(form ? { as: form } : imagesOf(pictures)),
    })
      .then(() => {
        // What was typed meanwhile is not sent yet.
        changeDraft(session.id, (draft) => ({ isSending: false, text: draft.text === text ? "" : draft.text }))
        if (!form) pictures.clear()
      }, (fault: unknown) => changeDraft(session.id, () => ({ isSending: false, error: explain(fault) })))
      .finally(reload)
  }
  if (session.status === "ended") return null
  const why = !mayAnswer ? t("message.mayNot") : session.accepts_messages === false ? t("message.unreachable") : null
  return (
    <form className="send" onSubmit={submit}>
      {messages.map((message) => (
        <p key={message.id} className="small soft message">
          {message.as === "command" && <span className="tag">{t("command")}</span>}
          <span className="grow clip">{message.kind === "interrupt" ? t("interrupt") : <Plain text={oneLine(message.text ?? "")} />}</span>
          <span>{named("message", message.state)}</span>
          {mayBeTakenBack(message, session) && (
            <button type="button" className="quiet" onClick={() => {
              void send("DELETE", `/v1/sessions/${part(session.id)}/input/${part(message.id)}`).finally(reload)
            }}>
              {t("cancel")}
            </button>
          )}
        </p>
      ))}
      {error && <p className="fault small" role="alert">{error}</p>}
      <PictureList pictures={pictures} />
      <div className="row">
        {!why && session.runner === "agent" && <PictureButton pictures={pictures} />}
        <textarea rows={1} aria-label={t("message")} dir="auto" value={text} disabled={why !== null && !text}
          aria-describedby={why ? id : undefined}
          placeholder={why ? "" : t("message.hint")}
          onChange={(event) => changeDraft(session.id, () => ({ text: event.target.value }))}
          onPaste={session.runner === "agent" ? pictures.onPaste : undefined}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event)
          }} />
        <button type="submit" className="yes" disabled={isSending || why !== null || !text.trim()}>{t("send")}</button>
      </div>
      {why && <p className="small soft" id={id}>{why}</p>}
      {!why && (
        <Commands session={session} text={text} isSending={isSending} onRun={() => say("command")}
          onChoose={(chosen) => changeDraft(session.id, () => ({ text: chosen }))} />
      )}
      {text && !why && <p className="small soft">{t("message.when")}</p>}
    </form>
  )
}

/** The agent of a machine takes back also what the session has and has not begun. */
function mayBeTakenBack(message: Message, session: Session): boolean {
  if (message.kind === "interrupt") return message.state === "queued"
  return message.state === "queued" || message.state === "delivered" && session.runner === "agent"
}

function explain(fault: unknown): string {
  const error = asApiError(fault)
  if (error.isMissingRoute || error.status === 405) return t("message.none")
  if (error.code === "not_reachable") return t("message.unreachable")
  return error.isOffline ? t("answer.offline") : explained(error)
}

const shown = 3
const staleSeconds = 600

/** Those on their way, and the latest that arrived. */
function useMessages(session: string): [Message[], () => void] {
  const [messages, setMessages] = useState<Message[]>([])
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let isCurrent = true
    get<{ data?: Message[]; messages?: Message[] }>(`/v1/sessions/${part(session)}/input`).then((list) => {
      if (!isCurrent) return
      const all = list.data ?? list.messages ?? []
      const fresh = all.filter((one) => one.state === "queued" || one.state === "delivered"
        || Date.now() - Date.parse(one.queued_at) < 1000 * staleSeconds)
      setMessages(fresh.slice(-shown))
    }, () => undefined)
    return () => {
      isCurrent = false
    }
  }, [session, turn])
  useEffect(() => follow(session, {
    event: (event) => {
      if (event.type.startsWith("message_") || event.hook_event_name === "UserPromptSubmit") setTurn((count) => count + 1)
    },
    reload: () => setTurn((count) => count + 1),
  }), [session])
  return [messages, () => setTurn((count) => count + 1)]
}
