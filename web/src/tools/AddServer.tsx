import { useState } from "react"
import { asApiError } from "../api/errors"
import { useStore } from "../lib/store"
import { Dialog } from "../parts/Dialog"
import { Fault } from "../parts/Notice"
import { NeedsAdminister } from "../settings/NeedsAdminister"
import { mayAdminister } from "../state/me"
import { explained, t } from "../words/words"
import { serverHash } from "./address"
import { addServer } from "./remote"

/** Adds a server that the monitor itself calls. */
export function AddServer() {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <button type="button" className="quiet new" onClick={() => setAsking(true)}>{t("remote.add")}</button>
      {isAsking && <AddDialog onClose={() => setAsking(false)} />}
    </>
  )
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const may = useStore(mayAdminister)
  return (
    <Dialog title={t("remote.addTitle")} onClose={onClose}>
      <p className="small soft">{t("remote.means")}</p>
      {may ? <Form onClose={onClose} /> : (
        <>
          <NeedsAdminister commands={["monitorctl tools add NAME URL"]} />
          <div className="acts"><button type="button" onClick={onClose}>{t("close")}</button></div>
        </>
      )}
    </Dialog>
  )
}

function Form({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("")
  const [url, setURL] = useState("")
  const [login, setLogin] = useState("oauth")
  const [header, setHeader] = useState("Authorization")
  const [value, setValue] = useState("")
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const hasHeader = login === "header"
  const submit = (event: Event) => {
    event.preventDefault()
    setSending(true)
    setError(null)
    addServer(name.trim(), url.trim(), hasHeader ? { [header.trim()]: value } : {}).then((made) => {
      onClose()
      location.hash = serverHash(made.id)
    }, (fault: unknown) => {
      setSending(false)
      setError(explained(asApiError(fault)))
    })
  }
  return (
    <form className="stack" onSubmit={submit}>
      <label className="field"><b>{t("remote.name")}</b>
        <input type="text" value={name} maxLength={32} autoComplete="off" required onChange={(event) => setName(event.target.value)} />
      </label>
      <label className="field"><b>{t("remote.url")}</b>
        <input type="url" value={url} maxLength={2048} autoComplete="off" placeholder="https://…/mcp" required onChange={(event) => setURL(event.target.value)} />
      </label>
      <label className="field"><b>{t("remote.login")}</b>
        <select value={login} onChange={(event) => setLogin(event.target.value)}>
          <option value="oauth">{t("remote.byLogin")}</option>
          <option value="header">{t("remote.byHeader")}</option>
        </select>
      </label>
      {hasHeader && (
        <>
          <label className="field"><b>{t("remote.header")}</b>
            <input type="text" value={header} maxLength={100} autoComplete="off" required onChange={(event) => setHeader(event.target.value)} />
          </label>
          <label className="field"><b>{t("remote.value")}</b>
            <input type="password" value={value} maxLength={4096} autoComplete="off" required onChange={(event) => setValue(event.target.value)} />
          </label>
          <p className="small soft">{t("remote.sealed")}</p>
        </>
      )}
      <Fault error={error} />
      <div className="acts">
        <button type="submit" className="yes" disabled={isSending || !name.trim() || !url.trim() || hasHeader && !value}>{t("remote.addDo")}</button>
        <button type="button" onClick={onClose}>{t("cancel")}</button>
      </div>
    </form>
  )
}
