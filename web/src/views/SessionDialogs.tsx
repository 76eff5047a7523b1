import { lazy, Suspense, useState } from "react"
import { asApiError } from "../api/errors"
import type { Session } from "../api/types"
import { go } from "../lib/route"
import { useStore } from "../lib/store"
import { oneLine, visibleText } from "../lib/visible"
import { Dialog } from "../parts/Dialog"
import { Fault } from "../parts/Notice"
import { asked, changeSession, erase } from "../state/change"
import { sessionName } from "../state/names"
import { explained, t } from "../words/words"
import { homeHash } from "./place"

const Rewind = lazy(async () => {
  const dialog = await import("../drive/loadRewind")
  await dialog.loadRewindWords()
  return { default: dialog.Rewind }
})
const longestName = 200

/** The dialogs that a session's menu opens. */
export function SessionDialogs() {
  const shown = useStore(asked)
  if (!shown) return null
  if (shown.about === "rewind") return <Suspense><Rewind key={shown.session.id} session={shown.session} onClose={close} /></Suspense>
  return shown.about === "rename" ? <Rename key={shown.session.id} session={shown.session} /> : <Erase key={shown.session.id} session={shown.session} />
}

function close(): void {
  asked.set(null)
}

function Rename({ session }: { session: Session }) {
  const [name, setName] = useState(session.title_source === "person" ? session.title ?? "" : "")
  const [error, setError] = useState<string | null>(null)
  const save = (event: Event) => {
    event.preventDefault()
    changeSession(session.id, { title: name.trim() || null }).then(close, (fault: unknown) => setError(explained(asApiError(fault))))
  }
  return (
    <Dialog title={t("rename.title")} onClose={close}>
      <form className="stack" onSubmit={save}>
        <label className="field"><b>{t("rename.name")}</b>
          <input type="text" value={name} dir="auto" maxLength={longestName} placeholder={oneLine(visibleText(sessionName(session)), longestName)}
            onChange={(event) => setName(event.target.value)} />
        </label>
        <p className="small soft">{t("rename.hint")}</p>
        <Fault error={error} />
        <div className="acts">
          <button type="submit" className="yes">{t("save")}</button>
          <button type="button" onClick={close}>{t("cancel")}</button>
        </div>
      </form>
    </Dialog>
  )
}

function Erase({ session }: { session: Session }) {
  const [error, setError] = useState<string | null>(null)
  const confirm = () => {
    erase(session).then(() => {
      close()
      if (location.hash.startsWith("#/s/")) go(homeHash.get())
    }, (fault: unknown) => setError(explained(asApiError(fault))))
  }
  return (
    <Dialog title={t("erase.title", { name: visibleText(oneLine(sessionName(session), 80)) })} onClose={close}>
      <p>{t("erase.means")}</p>
      <Fault error={error} />
      <div className="acts">
        <button type="button" className="danger" onClick={confirm}>{t("erase.do")}</button>
        <button type="button" onClick={close}>{t("cancel")}</button>
      </div>
    </Dialog>
  )
}
