import type { Machine } from "../api/types"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { number } from "../lib/time"
import { oneLine } from "../lib/visible"
import { Ago } from "../parts/Age"
import { Mark } from "../parts/Mark"
import { Empty, Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { machines } from "../state/machines"
import { t } from "../words/words"
import { serverHash, type ToolsAddress } from "./address"
import { readChanged, type Tool, type ToolServer } from "./requests"
import { markOf, placeOf, reasonOf, stateOf } from "./state"

/** Servers by machine. Changed tools come first, and machines of which nothing is known last. */
export function ServerList({ servers, asked }: { servers: readonly ToolServer[]; asked: ToolsAddress }) {
  const names = [...new Set(servers.flatMap((one) => one.machine_id ?? []))]
  const remote = servers.filter((one) => one.machine_id === null)
  const isFiltered = asked.project !== "" || asked.machine !== ""
  const others = useStore(machines).filter((one) => !asked.project && !names.includes(one.name) && (!asked.machine || one.name === asked.machine))
  return (
    <>
      {servers.length === 0 && (
        <Empty>
          <h2>{t(isFiltered ? "tools.noneHere" : "tools.none")}</h2>
          <p className="soft">{t("tools.noneMeans")}</p>
        </Empty>
      )}
      <Changed servers={servers} />
      {remote.length > 0 && <OfPlace label={t("remote")} servers={remote} />}
      {names.map((name) => <OfPlace key={name} label={oneLine(name, 100)} servers={servers.filter((one) => one.machine_id === name)} />)}
      {others.length > 0 && <Unknown machines={others} />}
    </>
  )
}

function OfPlace({ label, servers }: { label: string; servers: readonly ToolServer[] }) {
  return (
    <section aria-label={label}>
      <h2 className="group"><span className="clip"><Plain text={label} /></span><span className="num">{t("servers.count", { n: servers.length })}</span></h2>
      <ul className="results" aria-label={label}>{servers.map((one) => <ServerRow key={one.id} server={one} />)}</ul>
    </section>
  )
}

function ServerRow({ server }: { server: ToolServer }) {
  const reason = reasonOf(server)
  return (
    <li>
      <a className="item" href={serverHash(server.id)}>
        <span className="name clip"><Plain text={server.name} />
          {server.changed_count > 0 && <span className="tag wait">{t("server.changed", { n: server.changed_count })}</span>}
        </span>
        <span className="soft num small">{t("tools.count", { n: number(server.tool_count) })}</span>
        <span className="where clip"><Plain text={server.url ?? server.project_path ?? t("server.everywhere")} /></span>
        <span className="what small row">
          <Mark kind={markOf(server)} />
          <span className="grow wrap">{stateOf(server)}{reason && <> · <Plain text={oneLine(reason, 200)} /></>}</span>
          <span className="num"><Ago time={server.refreshed_at} /></span>
        </span>
      </a>
    </li>
  )
}

/** Tools that say something else than what was accepted: they wait for a person. */
function Changed({ servers }: { servers: readonly ToolServer[] }) {
  const count = servers.reduce((sum, one) => sum + one.changed_count, 0)
  const tools = useLoaded(() => readChanged(servers), [servers.map((one) => `${one.id} ${one.changed_count}`).join()])
  const shown = tools.value ?? []
  if (count === 0) return null
  return (
    <section aria-label={t("changed")}>
      <h2 className="group"><span>{t("changed")}</span><span className="num">{number(count)}</span></h2>
      <Fault what={t("unread.tools")} error={tools.error} again={tools.again} />
      <ul className="results" aria-label={t("changed")}>{shown.map((one) => <ChangedRow key={one.server_id + one.tool} tool={one} />)}</ul>
      {tools.value && count > shown.length && <p className="note soft small">{t("changed.more", { n: count - shown.length })}</p>}
    </section>
  )
}

function ChangedRow({ tool }: { tool: Tool }) {
  return (
    <li>
      <a className="item" href={serverHash(tool.server_id, tool.tool)}>
        <span className="name clip"><Plain text={tool.name} /></span>
        <span className="soft num small"><Ago time={tool.changed_at} /></span>
        <span className="where clip"><Plain text={placeOf(tool)} /></span>
        <span className="what small row"><Mark kind="wait" />{t("changed.waits")}</span>
      </a>
    </li>
  )
}

/** Machines whose servers nobody has asked for, or that cannot be asked. */
function Unknown({ machines: all }: { machines: readonly Machine[] }) {
  return (
    <section aria-label={t("servers.unknown")}>
      <h2 className="group"><span>{t("servers.unknown")}</span></h2>
      <ul className="rows unknown" aria-label={t("servers.unknown")}>
        {all.map((one) => (
          <li key={one.id} className="row wrap">
            <span className="grow wrap"><Plain text={one.name} /></span>
            <span className="small soft">{t(!one.agent || one.agent.state === "none" ? "servers.noAgent" : one.agent.state === "online" ? "servers.notAsked" : "servers.away")}</span>
          </li>
        ))}
      </ul>
      {all.some((one) => !one.agent || one.agent.state === "none") && <p className="note small"><a href="#/settings/machines">{t("servers.toMachines")}</a></p>}
    </section>
  )
}
