import { useState } from "react"
import { asApiError } from "../api/errors"
import { go } from "../lib/route"
import { oneLine, visibleText } from "../lib/visible"
import { Dialog } from "../parts/Dialog"
import { Fault } from "../parts/Notice"
import { say } from "../state/toast"
import { explained, t } from "../words/words"
import { eraseProject, hideProject, type Project } from "./requests"

/** Deleting hides a project, and can be undone by its next event. Erasing removes what was said in it, and is asked for apart. */
export function DeleteProject({ project, onClose }: { project: Project; onClose: () => void }) {
  const [isSure, setSure] = useState(false)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const name = visibleText(oneLine(project.name, 80))
  const run = (act: (id: string) => Promise<unknown>, said: string) => {
    setSending(true)
    setError(null)
    act(project.id).then(() => {
      onClose()
      say(said)
      go("#/projects")
    }, (fault: unknown) => {
      setSending(false)
      setError(explained(asApiError(fault)))
    })
  }
  return (
    <Dialog title={t("project.delete.title", { name })} onClose={onClose}>
      <p>{t("project.delete.means")}</p>
      <div className="acts">
        <button type="button" className="danger" disabled={isSending} onClick={() => run(hideProject, t("project.deleted", { name }))}>{t("project.delete.do")}</button>
        <button type="button" onClick={onClose}>{t("cancel")}</button>
      </div>
      <details className="erasing">
        <summary>{t("project.erase.title")}</summary>
        <div className="stack">
          <p className="small">{t("project.erase.means", { n: project.session_count })}</p>
          <label className="row">
            <input type="checkbox" checked={isSure} onChange={(event) => setSure(event.target.checked)} />
            <span>{t("project.erase.sure")}</span>
          </label>
          <button type="button" className="danger" disabled={isSending || !isSure}
            onClick={() => run(eraseProject, t("project.erased", { name }))}>{t("erase.do")}</button>
        </div>
      </details>
      <Fault error={error} />
    </Dialog>
  )
}
