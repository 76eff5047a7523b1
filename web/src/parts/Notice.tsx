import { useState, type ReactNode } from "react"
import { ApiError } from "../api/errors"
import { explained, t } from "../words/words"

interface Props {
  error: ApiError | string | null
  /** What failed, as a sentence. */
  what?: string
  /** Does the same once more. */
  again?: () => void
}

/** What went wrong, and what to do. */
export function Fault({ error, what, again }: Props) {
  const [tried, setTried] = useState<ApiError | string | null>(null)
  if (!error) return null
  const reason = typeof error === "string" ? error : explained(error)
  const text = [what, reason].filter(Boolean).join(" ")
  if (!again) return <p className="fault" role="alert">{text}</p>
  return (
    <div className="fault failed" role="alert">
      <p>{text}</p>
      <button type="button" disabled={tried === error} onClick={() => {
        setTried(error)
        again()
      }}>{t("try.again")}</button>
    </div>
  )
}

/** The shape of rows, until they are there. */
export function Skeleton({ label }: { label: string }) {
  return (
    <div className="skeleton" role="progressbar" aria-label={label}>
      {[0, 1, 2, 3].map((row) => <i key={row} aria-hidden="true" />)}
    </div>
  )
}

export function Empty({ children }: { children?: ReactNode }) {
  return <div className="empty">{children}</div>
}
