import { machines } from "../state/machines"
import { sessions } from "../state/sessions"
import type { Machine } from "../api/types"
import { useSelected, useStore } from "../lib/store"
import { now, secondsSince } from "../lib/time"
import { Ago } from "../parts/Age"
import { Plain } from "../parts/Plain"
import { named, t } from "../words/words"

const quietSeconds = 15 * 60

/** When each machine was heard of last, and whether all that it sent is here. */
/** Events that the machine numbered and that have not arrived: its own, and those of its sessions. */
function Gaps({ machine }: { machine: Machine }) {
  const lost = useSelected(sessions, (all) => {
    let sum = machine.completeness?.missing ?? 0
    for (const one of all.values()) if (one.machine_name === machine.name) sum += one.completeness?.missing ?? 0
    return sum
  })
  if (lost > 0) return <span className="small fault">{t("gaps", { n: lost })}</span>
  const state = machine.completeness?.state
  return state === undefined || state === "unknown" ? null : <span className="faint small">{named("completeness", state)}</span>
}

export function Health() {
  const all = useStore(machines)
  const at = useStore(now)
  if (all.length === 0) return null
  return (
    <section className="health" aria-label={t("machines")}>
      <h2 className="group"><span>{t("machines")}</span></h2>
      <ul>
        {all.map((machine) => (
          <li key={machine.id} className="row">
            <i className={"mark " + (secondsSince(machine.last_seen_at, at) > quietSeconds ? "idle" : "done")} aria-hidden="true" />
            <span className="grow clip"><Plain text={machine.name} /></span>
            <Gaps machine={machine} />
            <span className="soft small num">{machine.last_seen_at ? <Ago time={machine.last_seen_at} /> : t("age.never")}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
