import { useState } from "react"
import { asApiError } from "../api/errors"
import { Dialog } from "../parts/Dialog"
import { Fault } from "../parts/Notice"
import { explained, t } from "../words/words"

interface Props {
  /** What the button says. */
  label: string
  title: string
  means: string
  onConfirm: () => Promise<unknown>
}

/** A button for what cannot be undone: it asks once more. */
export function Sure({ label, title, means, onConfirm }: Props) {
  const [isAsking, setAsking] = useState(false)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const confirm = () => {
    setSending(true)
    setError(null)
    onConfirm().then(() => setAsking(false), (fault: unknown) => setError(explained(asApiError(fault)))).finally(() => setSending(false))
  }
  return (
    <>
      <button type="button" className="quiet" aria-label={title} onClick={() => setAsking(true)}>{label}</button>
      {isAsking && (
        <Dialog title={title} onClose={() => setAsking(false)}>
          <p>{means}</p>
          <Fault error={error} />
          <div className="acts">
            <button type="button" className="danger" disabled={isSending} onClick={confirm}>{label}</button>
            <button type="button" onClick={() => setAsking(false)}>{t("cancel")}</button>
          </div>
        </Dialog>
      )}
    </>
  )
}
