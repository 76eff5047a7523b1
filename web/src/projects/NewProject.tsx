import { useState } from "react"
import { asApiError, type ApiError } from "../api/errors"
import { useStore } from "../lib/store"
import { Dialog } from "../parts/Dialog"
import { Fault } from "../parts/Notice"
import { NeedsAdminister } from "../settings/NeedsAdminister"
import { machines } from "../state/machines"
import { t } from "../words/words"
import { makeProject, type Project } from "./requests"

interface Props {
  mayMake: boolean
  onClose: () => void
  onMade: (project: Project) => void
}

/** A project that no session has named yet: with a machine and a directory, what runs there later belongs to it. */
export function NewProject({ mayMake, onClose, onMade }: Props) {
  return (
    <Dialog title={t("project.new")} onClose={onClose}>
      {mayMake ? <Form onClose={onClose} onMade={onMade} /> : (
        <>
          <p>{t("project.byItself")}</p>
          <NeedsAdminister />
          <div className="acts"><button type="button" onClick={onClose}>{t("close")}</button></div>
        </>
      )}
    </Dialog>
  )
}

function Form({ onClose, onMade }: Omit<Props, "mayMake">) {
  const all = useStore(machines)
  const [name, setName] = useState("")
  const [description, setDescription] = useState("")
  const [machine, setMachine] = useState("")
  const [path, setPath] = useState("")
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const submit = (event: Event) => {
    event.preventDefault()
    setSending(true)
    setError(null)
    makeProject({
      name: name.trim(), ...(description.trim() && { description: description.trim() }),
      ...(machine && { machine_id: machine }), ...(machine && path.trim() && { path: path.trim() }),
    }).then(onMade, (fault: unknown) => setError(asApiError(fault))).finally(() => setSending(false))
  }
  return (
    <form className="stack" onSubmit={submit}>
      <p className="small soft">{t("project.byItself")}</p>
      <label className="field"><b>{t("project.name")}</b>
        <input type="text" value={name} dir="auto" maxLength={200} required autoFocus onChange={(event) => setName(event.target.value)} />
      </label>
      <label className="field"><b>{t("project.description")}</b>
        <textarea rows={2} value={description} dir="auto" maxLength={4000} onChange={(event) => setDescription(event.target.value)} />
      </label>
      <label className="field"><b>{t("start.machine")}</b>
        <select value={machine} onChange={(event) => setMachine(event.target.value)}>
          <option value="">{t("project.noMachine")}</option>
          {all.map((one) => <option key={one.id} value={one.name}>{one.name}</option>)}
        </select>
      </label>
      {machine && (
        <label className="field"><b>{t("start.path")}</b>
          <input type="text" value={path} spellCheck={false} autoCapitalize="off" dir="ltr" maxLength={4000} placeholder="/home/…"
            onChange={(event) => setPath(event.target.value)} />
        </label>
      )}
      <Fault error={error} />
      <div className="acts">
        <button type="submit" className="yes" disabled={isSending || !name.trim()}>{t("project.make")}</button>
        <button type="button" onClick={onClose}>{t("cancel")}</button>
      </div>
    </form>
  )
}
