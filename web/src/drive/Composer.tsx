import { useEffect, useId, useRef, useState } from "react"
import { asApiError } from "../api/errors"
import { useLoaded } from "../lib/load"
import { go, sessionLink } from "../lib/route"
import { useStore } from "../lib/store"
import { oneLine, visibleText } from "../lib/visible"
import { Command } from "../parts/Copy"
import { Fault } from "../parts/Notice"
import { changeDraft, useDraft } from "../state/drafts"
import { loadMachines, machines } from "../state/machines"
import { mayControl, myDevice } from "../state/me"
import { sessions } from "../state/sessions"
import { explained, t } from "../words/words"
import { firstTarget, hindrance, readTargets, type Hindrance, type Target } from "./asking"
import { imagesOf, PictureButton, PictureList, usePictures } from "./Pictures"
import { starting } from "./starting"
import { startSession } from "./startSession"

const draftKey = "new"
const projectKey = "monitor.asked"
const lookMilliseconds = 5_000

/** A chat from the home screen: a project and a first message. It starts a session there, whose view shows the rest. */
export function Composer() {
  const { text } = useDraft(draftKey)
  const pictures = usePictures("home")
  const [isOpen, setOpen] = useState(text !== "" || pictures.list.length > 0)
  const box = useRef<HTMLFormElement>(null)
  // It stays open while something is written; else a tap elsewhere closes it.
  const left = (event: FocusEvent) => {
    const to = event.relatedTarget as Node | null
    if (text === "" && pictures.list.length === 0 && to !== null && !box.current?.contains(to)) setOpen(false)
  }
  return (
    <form ref={box} className={isOpen ? "composer open" : "composer"} aria-label={t("ask")} onSubmit={(event) => event.preventDefault()} onBlur={left}>
      <textarea rows={isOpen ? 3 : 1} aria-label={t("ask")} placeholder={t("ask.hint")} dir="auto" value={text}
        onFocus={() => setOpen(true)} onPaste={pictures.onPaste} onChange={(event) => changeDraft(draftKey, () => ({ text: event.target.value }))}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
            event.preventDefault()
            box.current?.querySelector<HTMLButtonElement>("button.yes")?.click()
          } else if (event.key === "Escape") {
            event.stopPropagation()
            event.currentTarget.blur()
            if (!text && pictures.list.length === 0) setOpen(false)
          }
        }} />
      {isOpen && <Opened text={text} pictures={pictures} onSent={() => setOpen(false)} />}
    </form>
  )
}

interface OpenedProps {
  text: string
  pictures: ReturnType<typeof usePictures>
  onSent: () => void
}

function Opened({ text, pictures, onSent }: OpenedProps) {
  const may = useStore(mayControl)
  const all = useStore(machines)
  const key = all.map((one) => `${one.name} ${one.agent?.state} ${JSON.stringify(one.agent?.may)}`).join("\n")
  const targets = useLoaded(() => readTargets(machines.get()), [key])
  const [chosen, setChosen] = useState(localStorage.getItem(projectKey))
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const [isUntrusted, setUntrusted] = useState(false)
  const [ids, setIDs] = useState(newIDs)
  const own = targets.value ?? []
  const target = firstTarget(own, sessions.get().values(), chosen)
  const why = hindrance(may, all, targets.value)
  // Another project is another session.
  useEffect(() => {
    setIDs(newIDs())
    setUntrusted(false)
    setError(null)
  }, [target?.project])
  if (why) return <Missing why={why} />
  const submit = () => {
    const message = text.trim()
    if (!message || !target || isSending) return
    setSending(true)
    setError(null)
    localStorage.setItem(projectKey, target.project)
    const modes = all.find((one) => one.name === target.machine)?.agent?.may?.modes ?? []
    startSession({
      ...ids, machine_id: target.machine, path: target.path, message, ...imagesOf(pictures), ...(target.model && { model: target.model }),
      permission_mode: modes.includes("default") ? "default" : modes[0] ?? "default", ...(isUntrusted && { restricted: true }),
    }).then((session) => {
      changeDraft(draftKey, () => ({ text: "" }))
      pictures.clear()
      onSent()
      go(sessionLink(session.id))
    }, (fault: unknown) => {
      const refused = asApiError(fault)
      setUntrusted(refused.code === "untrusted_directory")
      setError(refused.code === "untrusted_directory" ? t("ask.untrusted") : explained(refused))
    }).finally(() => setSending(false))
  }
  return (
    <>
      <PictureList pictures={pictures} />
      <div className="row">
        <Where targets={own} target={target} onChoose={setChosen} />
        <PictureButton pictures={pictures} />
        <button type="button" className="yes" disabled={isSending || !text.trim() || !target} onClick={submit}>
          {t(isUntrusted ? "ask.restricted" : "send")}
        </button>
      </div>
      <Fault what={t("ask.unread")} error={targets.error} again={targets.again} />
      <Fault error={error} />
      <p className="row small soft" role="status">{isSending ? t("start.doing") : target && text && (
        <button type="button" className="quiet" onClick={() => starting.set({ ...target, message: text })}>{t("ask.more")}</button>
      )}</p>
    </>
  )
}

function newIDs() {
  return { session_id: crypto.randomUUID(), message_id: crypto.randomUUID() }
}

interface WhereProps {
  targets: readonly Target[]
  target: Target | undefined
  onChoose: (project: string) => void
}

function Where({ targets, target, onChoose }: WhereProps) {
  const isAlone = new Set(targets.map((one) => one.machine)).size < 2
  return (
    <select className="grow" aria-label={t("ask.where")} value={target?.project ?? ""} onChange={(event) => onChoose(event.target.value)}>
      {targets.length === 0 && <option value="">{t("reading")}</option>}
      {targets.map((one) => (
        <option key={one.project} value={one.project}>{visibleText(oneLine(isAlone ? one.name : `${one.name} · ${one.machine}`, 60))}</option>
      ))}
    </select>
  )
}

/** What is missing for a chat, in words, with what a person can do about it. */
function Missing({ why }: { why: Hindrance }) {
  const device = useStore(myDevice)
  const id = useId()
  // What a person mends at the machine shows here without a reload.
  useEffect(() => {
    const timer = setInterval(() => void (document.visibilityState === "visible" && loadMachines()), lookMilliseconds)
    return () => clearInterval(timer)
  }, [])
  return (
    <div className="stack" role="status" aria-labelledby={id}>
      <p id={id}>{t(`ask.missing.${why}`)}</p>
      {why === "control" && <Command text={`monitorctl device grant ${device ?? "ID"} control`} />}
      {why === "agent" && <p className="small soft">{t("ask.install")}</p>}
      {why === "away" && <Command text="monitor-agent status" />}
      {why === "off" && <p className="small soft">{t("ask.file")}</p>}
      {why === "project" && <button type="button" onClick={() => starting.set({})}>{t("start.new")}</button>}
    </div>
  )
}
