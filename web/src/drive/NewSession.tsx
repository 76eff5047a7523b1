import { useState } from "react"
import { asApiError, type ApiError } from "../api/errors"
import type { Machine } from "../api/types"
import { go } from "../lib/route"
import { useStore } from "../lib/store"
import { Dialog } from "../parts/Dialog"
import { Fault } from "../parts/Notice"
import { machines } from "../state/machines"
import { mayControl, myDevice } from "../state/me"
import { sessions } from "../state/sessions"
import { named, t } from "../words/words"
import { imagesOf, PictureButton, PictureList, usePictures } from "./Pictures"
import { directoriesOf, isBelow } from "./directories"
import { starting, type Start } from "./starting"
import { isReady, startSession } from "./startSession"

/** Machine, directory, model, mode and first message of a new session. What a machine does not allow is not offered. */
export function NewSession() {
  const start = useStore(starting)
  if (!start) return null
  return <Dialog title={t("start.new")} onClose={close}><Form start={start} /></Dialog>
}

function close(): void {
  starting.set(null)
}

function Form({ start }: { start: Start }) {
  const may = useStore(mayControl)
  const device = useStore(myDevice)
  const all = useStore(machines).filter((machine) => machine.agent && machine.agent.state !== "none")
  const first = all.find((one) => one.name === start.machine) ?? all.find(isReady)
  const [name, setName] = useState(first?.name ?? "")
  const machine = all.find((one) => one.name === name)
  if (!may) return <Refused text={t("start.mayNot", { id: device ?? "" })} />
  if (all.length === 0 || !first) return <Refused text={t("start.noAgent")} />
  return (
    <div className="stack">
      <label className="field"><b>{t("start.machine")}</b>
        <select value={name} disabled={start.resume !== undefined} onChange={(event) => setName(event.target.value)}>
          {all.map((one) => (
            <option key={one.name} value={one.name} disabled={!isReady(one)}>{one.name}{isReady(one) ? "" : ` (${whyNot(one)})`}</option>
          ))}
        </select>
      </label>
      {machine && <Where key={machine.name} machine={machine} start={start} />}
    </div>
  )
}

function Refused({ text }: { text: string }) {
  return (
    <div className="stack">
      <p>{text}</p>
      <div className="acts"><button type="button" onClick={close}>{t("close")}</button></div>
    </div>
  )
}

function whyNot(machine: Machine): string {
  return t(machine.agent?.state === "online" ? "start.off" : "start.offline")
}

const other = ""

function Where({ machine, start }: { machine: Machine; start: Start }) {
  const roots = machine.agent?.may?.roots ?? []
  const may = machine.agent?.may
  const modes = [...may?.modes ?? [], ...(may?.pty ? ["interactive"] : [])]
  const known = directoriesOf(useStore(sessions).values(), machine.name, roots)
  const [chosen, setChosen] = useState(start.path ?? known[0] ?? other)
  const [typed, setTyped] = useState(roots[0] ?? "")
  const [model, setModel] = useState(start.model ?? "")
  const [mode, setMode] = useState(modes.includes("default") ? "default" : modes[0] ?? "default")
  const [message, setMessage] = useState(start.message ?? "")
  const pictures = usePictures("new")
  const [isRestricted, setRestricted] = useState(false)
  const [isStarting, setStarting] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const path = chosen === other ? typed.trim() : chosen
  const takesPictures = mode !== "interactive"
  // The same id at each try, so that a lost answer starts no second session.
  const [id] = useState(() => crypto.randomUUID())
  const [messageID] = useState(() => crypto.randomUUID())
  const submit = (event: Event) => {
    event.preventDefault()
    setStarting(true)
    setError(null)
    startSession({
      machine_id: machine.name, path, permission_mode: mode, ...(model.trim() && { model: model.trim() }),
      ...(message.trim() && { message: message.trim(), message_id: messageID, ...(takesPictures && imagesOf(pictures)) }), ...(isRestricted && { restricted: true }),
      ...(start.resume ? { resume: start.resume } : { session_id: id }), ...(start.isFork && { fork: true, session_id: id }),
    }).then((session) => {
      pictures.clear()
      close()
      go("#/s/" + encodeURIComponent(session.id))
    }, (fault: unknown) => setError(asApiError(fault))).finally(() => setStarting(false))
  }
  return (
    <form className="stack" onSubmit={submit}>
      <label className="field"><b>{t("start.project")}</b>
        <select value={chosen} disabled={start.resume !== undefined} onChange={(event) => setChosen(event.target.value)}>
          {[...new Set([...(start.path ? [start.path] : []), ...known])].map((one) => <option key={one} value={one}>{one}</option>)}
          <option value={other}>{t("start.other")}</option>
        </select>
      </label>
      {chosen === other && (
        <label className="field"><b>{t("start.path")}</b>
          <input type="text" value={typed} spellCheck={false} autoCapitalize="off" dir="ltr" required
            onChange={(event) => setTyped(event.target.value)} />
        </label>
      )}
      {!isBelow(path, roots) && <p className="small soft">{t("start.roots", { roots: roots.join(", ") })}</p>}
      <div className="row wrap">
        <label className="field grow"><b>{t("start.model")}</b>
          <input type="text" value={model} placeholder={t("start.modelHint")} spellCheck={false} autoCapitalize="off" dir="ltr"
            maxLength={128} onChange={(event) => setModel(event.target.value)} />
        </label>
        <label className="field grow"><b>{t("start.mode")}</b>
          <select value={mode} onChange={(event) => setMode(event.target.value)}>
            {modes.map((one) => <option key={one} value={one}>{named("mode", one)}</option>)}
          </select>
        </label>
      </div>
      <label className="field"><b>{t("start.message")}</b>
        <textarea rows={3} value={message} dir="auto" onChange={(event) => setMessage(event.target.value)}
          onPaste={takesPictures ? pictures.onPaste : undefined} required={takesPictures && pictures.list.length > 0} />
      </label>
      {takesPictures && <PictureList pictures={pictures} />}
      {takesPictures && <div className="row"><PictureButton pictures={pictures} /></div>}
      {error?.code === "untrusted_directory" && (
        <label className="row">
          <input type="checkbox" checked={isRestricted} onChange={(event) => setRestricted(event.target.checked)} />
          <span>{t("start.restricted")}</span>
        </label>
      )}
      <Fault error={error?.code === "untrusted_directory" ? t("start.untrusted") : error} />
      <div className="acts">
        <button type="submit" className="yes" disabled={isStarting || !path}>{t("start.do")}</button>
        <button type="button" onClick={close}>{t("cancel")}</button>
      </div>
      <p className="small soft" role="status">{isStarting && t("start.doing")}</p>
    </form>
  )
}
