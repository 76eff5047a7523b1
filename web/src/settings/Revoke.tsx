import { useState } from "react"
import { asApiError } from "../api/errors"
import { visibleText } from "../lib/visible"
import { Dialog } from "../parts/Dialog"
import { Fault } from "../parts/Notice"
import { explained, t } from "../words/words"

/** A button that asks once more. */
export function Revoke({ what, onConfirm }: { what: string; onConfirm: () => Promise<unknown> }) {
  const [isAsking, setAsking] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const title = t("revoke.named", { name: visibleText(what) })
  const confirm = () => {
    onConfirm().then(() => setAsking(false), (fault: unknown) => setError(explained(asApiError(fault))))
  }
  return (
    <>
      <button type="button" className="quiet" aria-label={title} onClick={() => setAsking(true)}>
        {t("revoke")}
      </button>
      {isAsking && (
        <Dialog title={title} onClose={() => setAsking(false)}>
          <p>{t("revoke.means")}</p>
          <Fault error={error} />
          <div className="acts">
            <button type="button" className="danger" aria-label={`${t("confirm")}: ${t("revoke")}`} onClick={confirm}>{t("revoke")}</button>
            <button type="button" onClick={() => setAsking(false)}>{t("cancel")}</button>
          </div>
        </Dialog>
      )}
    </>
  )
}
