import { get } from "../api/http"
import type { Machine } from "../api/types"
import { readUsage } from "../api/usage"
import { address } from "../lib/base"
import { latestDays } from "../lib/days"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { connection } from "../live/live"
import { Command } from "../parts/Copy"
import { Mark } from "../parts/Mark"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { machines } from "../state/machines"
import { t } from "../words/words"
import { Echo } from "./Echo"
import { findings, type Finding, type Health } from "./faults"
import { clients } from "./Models"
import { Trips } from "./Trips"

/** What is wrong and what mends it, how long answers take, which versions run, and what a chat would do. */
export function Diagnostics() {
  const health = useLoaded(() => get<Health>("/health"), [])
  const usage = useLoaded(() => readUsage("model", latestDays(7)[0] ?? ""), [])
  const all = useStore(machines)
  const isConnected = useStore(connection) === "open"
  const unpriced = (usage.value?.total.unpriced.models ?? []).filter(Boolean)
  const found = findings({ health: health.value, machines: all, isConnected, unpriced, install: `curl -fsS ${address("install.sh")} | bash` })
  return (
    <div className="stack">
      <h3>{t("wrong")}</h3>
      <Fault what={t("wrong.unread")} error={health.error} again={health.again} />
      {health.value && found.length === 0 && <p className="row"><Mark kind="done" />{t("wrong.nothing")}</p>}
      <ul className="rows findings" aria-label={t("wrong")}>{found.map((one) => <Found key={one.key} finding={one} />)}</ul>
      <h3>{t("trip")}</h3>
      <Trips />
      <h3>{t("versions")}</h3>
      <dl className="kv">
        <dt>{t("about.health")}</dt><dd>{health.value?.version ?? "…"}</dd>
        {health.value?.claude_version && <><dt>{t("about.claude")}</dt><dd>{health.value.claude_version}</dd></>}
      </dl>
      <ul className="rows" aria-label={t("versions")}>{all.map((machine) => <Versions key={machine.id} machine={machine} />)}</ul>
      <h3>{t("echo")}</h3>
      <p className="small soft">{t("echo.means")}</p>
      <Echo />
    </div>
  )
}

function Found({ finding }: { finding: Finding }) {
  return (
    <li>
      <p><Plain text={t(finding.word, finding.values)} /></p>
      {finding.command && <Command text={finding.command} />}
      {finding.link && <p><a href={finding.link}>{t("settings.notifications")}</a></p>}
    </li>
  )
}

function Versions({ machine }: { machine: Machine }) {
  const parts = [
    machine.hooks_version && `${t("machine.hooks")} ${machine.hooks_version}`,
    machine.agent?.version && `${t("machine.agent")} ${machine.agent.version}`,
    clients(machine.agent?.clients),
  ].filter(Boolean)
  return (
    <li className="row wrap">
      <span className="grow"><Plain text={machine.name} /></span>
      <span className="small soft"><Plain text={parts.join(" · ") || "–"} /></span>
    </li>
  )
}
