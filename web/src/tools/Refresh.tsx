import { useState } from "react"
import { asApiError, type ApiError } from "../api/errors"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { visibleText } from "../lib/visible"
import { Dialog } from "../parts/Dialog"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { readProjects, type Project } from "../projects/requests"
import { machines } from "../state/machines"
import { mayControl } from "../state/me"
import { say } from "../state/toast"
import { t } from "../words/words"
import { NeedsControl, Refused } from "./Refused"
import { refresh } from "./requests"

interface Props {
  machine?: string
  /** The id of a project. */
  project?: string
  path?: string | null
  onDone: () => void
}

/** Has a machine tell which servers a directory has. Nothing is told by itself: it starts programs there. */
export function Refresh(props: Props) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <button type="button" className="quiet new" onClick={() => setAsking(true)}>{t("refresh")}</button>
      {isAsking && <RefreshDialog {...props} onClose={() => setAsking(false)} />}
    </>
  )
}

function RefreshDialog({ onClose, ...props }: Props & { onClose: () => void }) {
  const may = useStore(mayControl)
  return (
    <Dialog title={t("refresh.title")} onClose={onClose}>
      <p className="small soft">{t("refresh.means")}</p>
      {may ? <Form {...props} onClose={onClose} /> : (
        <>
          <NeedsControl what={t("refresh.needs")} />
          <div className="acts"><button type="button" onClick={onClose}>{t("close")}</button></div>
        </>
      )}
    </Dialog>
  )
}

function Form({ machine, project, path, onDone, onClose }: Props & { onClose: () => void }) {
  const projects = useLoaded(() => readProjects(), [])
  const withAgent = useStore(machines).filter((one) => one.agent && one.agent.state !== "none").map((one) => one.name)
  const all = (projects.value?.projects ?? []).filter((one) => one.path && withAgent.includes(one.machine_name ?? ""))
  const [chosen, setChosen] = useState("")
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const place = all.find((one) => one.id === chosen) ?? all.find((one) => isMeant(one, { machine, project, path })) ?? all[0]
  const submit = (event: Event) => {
    event.preventDefault()
    if (!place) return
    setSending(true)
    setError(null)
    refresh(place.id).then((servers) => {
      onClose()
      say(t("refresh.done", { n: servers.length, machine: place.machine_name ?? "" }))
      onDone()
    }, (fault: unknown) => {
      setSending(false)
      setError(asApiError(fault))
    })
  }
  return (
    <form className="stack" onSubmit={submit}>
      <Fault what={t("refresh.unread")} error={projects.error} again={projects.again} />
      {projects.value && all.length === 0 && <p>{t(withAgent.length === 0 ? "tools.noAgents" : "refresh.noProjects")}</p>}
      {all.length > 0 && (
        <label className="field"><b>{t("filter.project")}</b>
          <select value={place?.id ?? ""} disabled={isSending} onChange={(event) => setChosen(event.target.value)}>
            {all.map((one) => <option key={one.id} value={one.id}>{visibleText(`${one.machine_name ?? ""} · ${one.path ?? ""}`)}</option>)}
          </select>
        </label>
      )}
      <p role="status" className="small soft">{isSending && place && <Plain text={t("refresh.runs", { machine: place.machine_name ?? "" })} />}</p>
      <Refused error={error} machine={place?.machine_name ?? ""} />
      <div className="acts">
        <button type="submit" className="yes" disabled={isSending || !place}>{t("refresh.do")}</button>
        <button type="button" onClick={onClose}>{t("cancel")}</button>
      </div>
    </form>
  )
}

function isMeant(one: Project, { machine, project, path }: Omit<Props, "onDone">): boolean {
  if (project) return one.id === project
  return one.machine_name === machine && (!path || one.path === path)
}
