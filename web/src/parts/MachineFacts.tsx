import type { Machine } from "../api/types"
import { useStore } from "../lib/store"
import { number, shortAge } from "../lib/time"
import { leastOffset, serverVersion } from "../state/machines"
import { t } from "../words/words"
import { Gaps } from "./Gaps"
import { Plain } from "./Plain"

/** From here on, times in lists mislead. */
const muchOffset = 30
const leastDrift = 0.1

/** What a machine's clock is off by, the versions of its hooks and its agent, and whether events are missing. */
export function MachineFacts({ machine }: { machine: Machine }) {
  const server = useStore(serverVersion)
  const offset = Math.abs(machine.clock?.offset_seconds ?? 0)
  return (
    <>
      {offset >= leastOffset && <span className={offset >= muchOffset ? "small fault" : "small soft"}>{clockText(machine)}</span>}
      {machine.hooks_version && (
        <span className={hasOldHooks(machine, server) ? "small warn" : "faint small"}>
          {t("machine.hooks")} <Plain text={machine.hooks_version} />
        </span>
      )}
      {machine.agent?.version && (
        <span className={machine.agent.update ? "small warn" : "faint small"}>
          {t("machine.agent")} <Plain text={machine.agent.version} />
        </span>
      )}
      <Gaps machine={machine} />
    </>
  )
}

/** What a person should mend at a machine. */
export function MachineAdvice({ machine }: { machine: Machine }) {
  const server = useStore(serverVersion)
  return (
    <>
      {Math.abs(machine.clock?.offset_seconds ?? 0) >= leastOffset && <p className="small soft">{t("machine.clock.advice")}</p>}
      {hasOldHooks(machine, server) && <p className="small soft">{t("machine.old", { version: server ?? "" })}</p>}
      {machine.agent?.update && <p className="small soft">{t("machine.agent.old", { version: machine.agent.update })}</p>}
    </>
  )
}

/** `clock 90 s ahead, +0.4 s a day` */
function clockText({ clock }: Machine): string {
  const { offset_seconds: offset = 0, drift_ppm: drift = 0 } = clock ?? {}
  const text = t(offset > 0 ? "machine.clock.ahead" : "machine.clock.behind", { time: shortAge(Math.abs(offset)) })
  const aDay = (Math.abs(drift) * 86_400) / 1_000_000
  if (aDay < leastDrift) return text
  return text + ", " + t("machine.clock.drift", { n: (drift > 0 ? "+" : "−") + number(aDay, 1) })
}

function hasOldHooks({ hooks_version: own }: Machine, server: string | null): boolean {
  return isOlder(own, server)
}

/** By the numbers of the versions; what follows them is not compared. */
export function isOlder(own: string | undefined, server: string | null): boolean {
  if (!own || !server) return false
  const numbers = (text: string) => (/^[\d.]*/.exec(text)?.[0] ?? "").split(".").map(Number)
  const [left, right] = [numbers(own), numbers(server)]
  const at = right.findIndex((value, index) => value !== (left[index] ?? 0))
  return at >= 0 && (left[at] ?? 0) < right[at]!
}
