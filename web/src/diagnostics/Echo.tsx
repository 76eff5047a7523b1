import { useState } from "react"
import { asApiError, type ApiError } from "../api/errors"
import { send } from "../api/http"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { visibleText } from "../lib/visible"
import { Command } from "../parts/Copy"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { readProjects } from "../projects/requests"
import { mayControl, myDevice } from "../state/me"
import { named, t } from "../words/words"

interface Plan {
  action: string
  machine_id?: string
  directory?: string
  agent_connected: boolean
  session_busy: boolean
  flags: string[]
  model?: string | null
  permissions: { mode: string; answerable: boolean }
}

/** What a chat in a project would do. Nothing is started. */
export function Echo() {
  const may = useStore(mayControl)
  const device = useStore(myDevice)
  if (!may) {
    return (
      <>
        <p>{t("echo.control")}</p>
        <Command text={`monitorctl device grant ${device ?? "ID"} control`} />
      </>
    )
  }
  return <Form />
}

function Form() {
  const projects = useLoaded(() => readProjects(), [])
  const all = (projects.value?.projects ?? []).filter((one) => one.path && one.machine_name)
  const [chosen, setChosen] = useState("")
  const [text, setText] = useState("")
  const [plan, setPlan] = useState<Plan | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [isAsking, setAsking] = useState(false)
  const project = all.find((one) => one.id === chosen) ?? all[0]
  const ask = (event: Event) => {
    event.preventDefault()
    if (!project) return
    setAsking(true)
    setPlan(null)
    setError(null)
    const model = project.settings?.default_model
    send<Plan>("POST", "/v1/chat/completions/debug", {
      project_id: project.id, messages: [{ role: "user", content: text.trim() || t("echo.example") }], ...(model && { model }),
    }).then(setPlan, (fault: unknown) => setError(asApiError(fault))).finally(() => setAsking(false))
  }
  return (
    <form className="stack" onSubmit={ask}>
      <Fault what={t("echo.unread")} error={projects.error} again={projects.again} />
      <label className="field"><b>{t("filter.project")}</b>
        <select value={project?.id ?? ""} onChange={(event) => setChosen(event.target.value)}>
          {all.map((one) => <option key={one.id} value={one.id}>{visibleText(`${one.name} · ${one.machine_name ?? ""}`)}</option>)}
        </select>
      </label>
      <label className="field"><b>{t("message")}</b>
        <input type="text" value={text} dir="auto" placeholder={t("echo.example")} onChange={(event) => setText(event.target.value)} />
      </label>
      <div className="acts"><button type="submit" disabled={isAsking || !project}>{t("echo.ask")}</button></div>
      <Fault error={error} />
      <div role="status">{plan && <Shown plan={plan} />}</div>
    </form>
  )
}

function Shown({ plan }: { plan: Plan }) {
  return (
    <>
      <dl className="kv">
        <dt>{t("echo.action")}</dt><dd>{named("echo.action", plan.action)}</dd>
        <dt>{t("filter.machine")}</dt><dd><Plain text={plan.machine_id ?? "–"} /></dd>
        <dt>{t("start.path")}</dt><dd className="wrap"><Plain text={plan.directory ?? "–"} isCommand /></dd>
        <dt>{t("machine.agent")}</dt><dd>{t(plan.agent_connected ? "echo.connected" : "echo.away")}</dd>
        <dt>{t("start.mode")}</dt><dd>{named("mode", plan.permissions.mode)}</dd>
        <dt>{t("echo.answers")}</dt><dd>{t(plan.permissions.answerable ? "echo.answerable" : "echo.unanswerable")}</dd>
      </dl>
      {plan.flags.length > 0 && <Command text={"claude " + plan.flags.join(" ")} />}
      {plan.session_busy && <p className="small warn">{t("echo.busy")}</p>}
      <details><summary>{t("echo.whole")}</summary><pre className="scroll" tabIndex={0}>{JSON.stringify(plan, null, 2)}</pre></details>
    </>
  )
}
