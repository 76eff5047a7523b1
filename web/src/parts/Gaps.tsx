import type { Machine } from "../api/types"
import { useSelected } from "../lib/store"
import { sessions } from "../state/sessions"
import { named, t } from "../words/words"

/** Events that the machine numbered and that have not arrived: its own, and those of its sessions. */
export function Gaps({ machine }: { machine: Machine }) {
  const lost = useSelected(sessions, (all) => {
    let sum = machine.completeness?.missing ?? 0
    for (const one of all.values()) if (one.machine_name === machine.name) sum += one.completeness?.missing ?? 0
    return sum
  })
  if (lost > 0) return <span className="small fault">{t("gaps", { n: lost })}</span>
  const state = machine.completeness?.state
  return state === undefined || state === "unknown" ? null : <span className="faint small">{named("completeness", state)}</span>
}
