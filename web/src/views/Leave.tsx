import { useStore } from "../lib/store"
import { decide, leaving } from "../lib/unsaved"
import { Dialog } from "../parts/Dialog"
import { t } from "../words/words"

/** Asks before input is lost that was not saved. */
export function Leave() {
  if (useStore(leaving) === null) return null
  return (
    <Dialog title={t("leave.title")} onClose={() => decide(false)}>
      <p>{t("leave.text")}</p>
      <div className="acts">
        <button type="button" className="yes" onClick={() => decide(false)}>{t("leave.stay")}</button>
        <button type="button" className="danger" onClick={() => decide(true)}>{t("leave.go")}</button>
      </div>
    </Dialog>
  )
}
