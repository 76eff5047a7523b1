import { useState } from "react"
import { asApiError } from "../api/errors"
import { part, send } from "../api/http"
import type { Device } from "../api/devices"
import { visibleText } from "../lib/visible"
import { Dialog } from "../parts/Dialog"
import { Fault } from "../parts/Notice"
import { explained, t } from "../words/words"

const longestName = 100

/** A button that asks for another name of a device. */
export function RenameDevice({ device, onRenamed }: { device: Device; onRenamed: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const [name, setName] = useState("")
  const [error, setError] = useState<string | null>(null)
  const title = t("device.rename.title", { name: visibleText(device.name) })
  const ask = () => {
    setName(device.name)
    setError(null)
    setAsking(true)
  }
  const save = (event: Event) => {
    event.preventDefault()
    send("PATCH", "/v1/devices/" + part(device.id), { name: name.trim() }).then(() => {
      setAsking(false)
      onRenamed()
    }, (fault: unknown) => setError(explained(asApiError(fault))))
  }
  return (
    <>
      <button type="button" className="quiet" aria-label={title} onClick={ask}>{t("rename")}</button>
      {isAsking && (
        <Dialog title={title} onClose={() => setAsking(false)}>
          <form className="stack" onSubmit={save}>
            <label className="field"><b>{t("rename.name")}</b>
              <input type="text" value={name} dir="auto" required maxLength={longestName} onChange={(event) => setName(event.target.value)} />
            </label>
            <p className="small soft">{t("device.rename.hint")}</p>
            <Fault error={error} />
            <div className="acts">
              <button type="submit" className="yes" disabled={!name.trim()}>{t("save")}</button>
              <button type="button" onClick={() => setAsking(false)}>{t("cancel")}</button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}
