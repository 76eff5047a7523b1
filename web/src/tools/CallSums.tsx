import { useState } from "react"
import { useLoaded } from "../lib/load"
import { number, took } from "../lib/time"
import { Ago } from "../parts/Age"
import { Fault, Skeleton } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"
import { readSums, type CallSum, type SumsBy } from "./toolCalls"

/** How often tools, or all tools of a server, were called. Read once a person wants to see it. */
export function CallSums({ machine }: { machine: string | undefined }) {
  const [isShown, setShown] = useState(false)
  return (
    <details className="raw note" onToggle={(event) => setShown((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>{t("sums")}</summary>
      {isShown && <Sums machine={machine} />}
    </details>
  )
}

function Sums({ machine }: { machine: string | undefined }) {
  const [by, setBy] = useState<SumsBy>("tool")
  const sums = useLoaded(() => readSums(machine, by), [machine, by])
  return (
    <>
      <div className="segments" role="group" aria-label={t("sums")}>
        <button type="button" className="quiet" aria-pressed={by === "tool"} onClick={() => setBy("tool")}>{t("sums.byTool")}</button>
        <button type="button" className="quiet" aria-pressed={by === "server"} onClick={() => setBy("server")}>{t("sums.byServer")}</button>
      </div>
      <Fault what={t("unread.calls")} error={sums.error} again={sums.again} />
      {!sums.value && !sums.error && <Skeleton label={t("reading")} />}
      {sums.value?.length === 0 && <p className="soft">{t("calls.none")}</p>}
      {sums.value && sums.value.length > 0 && <Table rows={sums.value} />}
    </>
  )
}

const columns = ["sums.name", "calls", "sums.succeeded", "sums.failed", "sums.notRun", "sums.unknown", "sums.average", "sums.last"] as const

function Table({ rows }: { rows: readonly CallSum[] }) {
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={t("sums")}>
      <table>
        <thead><tr>{columns.map((word) => <th key={word} scope="col">{t(word)}</th>)}</tr></thead>
        <tbody>{rows.map((row) => (
          <tr key={row.server_id + (row.tool ?? "")}>
            <th scope="row"><Plain text={`${row.tool ?? row.server} · ${row.machine_id}`} /></th>
            {[row.calls, row.succeeded, row.failed, row.not_run, row.unknown].map((count, index) => <td key={index} className="num">{number(count)}</td>)}
            <td className="num">{row.duration_ms_average === undefined ? "" : took(row.duration_ms_average)}</td>
            <td className="num"><Ago time={row.last_call_at} /></td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  )
}
