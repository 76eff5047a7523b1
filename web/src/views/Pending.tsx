import { useStore } from "../lib/store"
import { pending } from "../state/pending"
import { t } from "../words/words"

/** In the head of a view, where it covers nothing. */
export function Pending() {
  const waits = useStore(pending)
  if (!waits) return null
  return <button type="button" className="waiting" onClick={waits.apply}>{t("list.changes", { n: waits.count })}</button>
}
