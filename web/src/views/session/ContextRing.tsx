import { compact, percent } from "../../lib/time"
import { t } from "../../words/words"
import type { Context } from "./requests"

const radius = 7
const length = 2 * Math.PI * radius

/** How much of the context is left. */
export function ContextRing({ context: { used, limit } }: { context: Context }) {
  if (limit === undefined) return null
  const share = Math.min(1, used / limit)
  const left = percent(1 - share)
  const title = t("context.title", { share: left, used: compact(used), limit: compact(limit) })
  return (
    <span className={"ring" + (share >= 0.9 ? " full" : share >= 0.75 ? " high" : "")} role="img" aria-label={title} title={title}>
      <svg viewBox="0 0 18 18" width="18" height="18" aria-hidden="true">
        <circle cx="9" cy="9" r={radius} />
        <circle className="used" cx="9" cy="9" r={radius} strokeDasharray={`${share * length} ${length}`} transform="rotate(-90 9 9)" />
      </svg>
      <span className="num">{t("context.left", { share: left })}</span>
    </span>
  )
}
