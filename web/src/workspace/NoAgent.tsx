import type { ReactNode } from "react"
import { useStore } from "../lib/store"
import { Empty } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { machines } from "../state/machines"
import { t } from "../words/words"

/** What needs the machine's agent; or that it has none. An agent that is away is asked all the same: it may be back. */
export function NoAgent({ machine, children }: { machine: string; children?: ReactNode }) {
  const known = useStore(machines).find((one) => one.name === machine)
  if (!known || (known.agent && known.agent.state !== "none")) return children as ReturnType<typeof Empty>
  return (
    <Empty>
      <h2><Plain text={t("workspace.noAgent", { machine })} /></h2>
      <p className="soft">{t("workspace.agentMeans")}</p>
    </Empty>
  )
}
