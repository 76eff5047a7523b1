import type { ReactNode } from "react"
import { ApiError } from "../api/errors"
import { explained, t } from "../words/words"

/** What went wrong, and what to do. */
export function Fault({ error }: { error: ApiError | string | null }) {
  if (!error) return null
  const text = typeof error === "string" ? error : error.isOffline ? t("fault.offline") : explained(error)
  return <p className="fault" role="alert">{text}</p>
}

export function Empty({ children }: { children?: ReactNode }) {
  return <div className="empty">{children}</div>
}
