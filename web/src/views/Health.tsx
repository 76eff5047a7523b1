import type { Machine } from "../api/types"
import { machines } from "../state/machines"
import { useStore } from "../lib/store"
import { now, secondsSince } from "../lib/time"
import { Ago } from "../parts/Age"
import { MachineFacts } from "../parts/MachineFacts"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"

const quietSeconds = 15 * 60

/** A machine that has never been heard of is quiet too. */
function isQuiet(machine: Machine, at: number): boolean {
  return !machine.last_seen_at || secondsSince(machine.last_seen_at, at) > quietSeconds
}

/** When each machine was heard of last, and whether all that it sent is here. */
export function Health() {
  const all = useStore(machines)
  const at = useStore(now)
  if (all.length === 0) return null
  return (
    <section className="health" id="health" aria-label={t("machines")}>
      <h2 className="group"><span>{t("machines")}</span></h2>
      <ul>
        {all.map((machine) => (
          <li key={machine.id} className="row">
            <i className={"mark " + (isQuiet(machine, at) ? "idle" : "done")} aria-hidden="true" />
            <span className="grow clip"><Plain text={machine.name} /></span>
            <span className="facts row"><MachineFacts machine={machine} /></span>
            <span className="soft small num">{machine.last_seen_at ? <Ago time={machine.last_seen_at} /> : t("age.never")}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
