import { useState } from "react"
import { part, send } from "../api/http"
import { asApiError, type ApiError } from "../api/errors"
import type { Session } from "../api/types"
import { useStore } from "../lib/store"
import { oneLine, visibleText } from "../lib/visible"
import { Dialog } from "../parts/Dialog"
import { Fault } from "../parts/Notice"
import { changeSession } from "../state/change"
import { machines } from "../state/machines"
import { mayControl } from "../state/me"
import { say } from "../state/toast"
import { explained, named, t } from "../words/words"
import { starting } from "./starting"

/** Stops a session that an agent runs, switches its mode, and continues it after its end. */
export function Drive({ session }: { session: Session }) {
  const may = useStore(mayControl)
  const [isAsking, setAsking] = useState(false)
  if (!may) return null
  const place = { resume: session.id, machine: session.machine_name ?? "", path: session.project_path ?? "" }
  if (session.status === "ended") {
    return (
      <>
        <button type="button" className="quiet" onClick={() => starting.set(place)}>{t("continue")}</button>
        <button type="button" className="quiet" onClick={() => starting.set({ ...place, isFork: true })}>{t("fork")}</button>
      </>
    )
  }
  return (
    <>
      {session.runner === "agent" && <Mode session={session} />}
      <button type="button" className="quiet" onClick={() => setAsking(true)}>{t("end")}</button>
      {isAsking && <Stop session={session} onClose={() => setAsking(false)} />}
    </>
  )
}

function Mode({ session }: { session: Session }) {
  const modes = useStore(machines).find((one) => one.name === session.machine_name)?.agent?.may?.modes ?? []
  const mode = session.permission_mode ?? "default"
  if (modes.length < 2) return null
  const change = (chosen: string) => {
    changeSession(session.id, { permission_mode: chosen }).catch((fault: unknown) => say(explained(asApiError(fault))))
  }
  return (
    <select className="mode" aria-label={t("mode.switch")} value={mode} onChange={(event) => change(event.target.value)}>
      {[...new Set([mode, ...modes])].map((one) => <option key={one} value={one}>{named("mode", one)}</option>)}
    </select>
  )
}

interface Ended {
  left_running?: { pid?: number; command?: string }[]
}

function Stop({ session, onClose }: { session: Session; onClose: () => void }) {
  const [killsLeftovers, setKills] = useState(false)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const stop = () => {
    setSending(true)
    setError(null)
    send<Ended>("DELETE", `/v1/sessions/${part(session.id)}` + (killsLeftovers ? "?kill_leftovers=true" : "")).then((ended) => {
      const left = (ended.left_running ?? []).map((one) => one.command ?? "").join(", ")
      if (left) say(t("end.left", { commands: oneLine(visibleText(left), 200) }))
      onClose()
    }, (fault: unknown) => setError(asApiError(fault))).finally(() => setSending(false))
  }
  return (
    <Dialog title={t("end.title")} onClose={onClose}>
      <p>{t("end.means")}</p>
      <p className="small soft">{t("take", { command: `monitor-agent take ${session.id}` })}</p>
      <label className="row">
        <input type="checkbox" checked={killsLeftovers} onChange={(event) => setKills(event.target.checked)} />
        <span>{t("end.leftovers")}</span>
      </label>
      <Fault error={error} />
      <div className="acts">
        <button type="button" className="danger" disabled={isSending} onClick={stop}>{t("end")}</button>
        <button type="button" onClick={onClose}>{t("cancel")}</button>
      </div>
    </Dialog>
  )
}
