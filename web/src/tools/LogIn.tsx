import { useEffect, useState } from "react"
import { asApiError } from "../api/errors"
import { Dialog } from "../parts/Dialog"
import { Fault } from "../parts/Notice"
import { explained, t } from "../words/words"
import { makeLink } from "./remote"

interface Props {
  server: string
  label: string
  /** Nothing waits for the login. */
  isCalm: boolean
  /** The person is back on the page. */
  onBack: () => void
}

/** Leads to the login in a window of its own. The link is a person's own tap, so no browser takes it for an advertisement. */
export function LogIn({ server, label, isCalm, onBack }: Props) {
  const [url, setURL] = useState<string | null>(null)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  useBack(onBack)
  const begin = () => {
    setSending(true)
    setError(null)
    makeLink(server).then((made) => setURL(made.link_url), (fault: unknown) => setError(explained(asApiError(fault))))
      .finally(() => setSending(false))
  }
  return (
    <>
      <button type="button" className={isCalm ? "" : "yes"} disabled={isSending} onClick={begin}>{label}</button>
      <Fault error={error} />
      {url && (
        <Dialog title={t("remote.openTitle")} onClose={() => setURL(null)}>
          <p>{t("remote.openMeans")}</p>
          <div className="acts">
            <a className="button yes" href={url} target="_blank" rel="noopener noreferrer" onClick={() => setURL(null)}>{t("remote.open")}</a>
            <button type="button" onClick={() => setURL(null)}>{t("cancel")}</button>
          </div>
        </Dialog>
      )}
    </>
  )
}

/** Looks again when the person comes back from the other window. */
function useBack(onBack: () => void): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") onBack()
    }
    document.addEventListener("visibilitychange", look)
    window.addEventListener("focus", look)
    return () => {
      document.removeEventListener("visibilitychange", look)
      window.removeEventListener("focus", look)
    }
  }, [onBack])
}
