import { useState } from "react"
import { get } from "../api/http"
import { asApiError, type ApiError } from "../api/errors"
import type { Page } from "../api/types"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { When } from "../parts/Age"
import { Fault, Skeleton } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { mayAdminister } from "../state/me"
import { Choice } from "../views/Filters"
import { named, t } from "../words/words"
import { foldedEntries, type Entry, type Shown } from "./entries"
import { NeedsAdminister } from "./NeedsAdminister"
import { partyOf, useDevices, type Names } from "./who"

/** What the log has rows for. */
const actions = [
  "pairing.create", "pairing.request", "pairing.approve", "pairing.reject", "pairing.exchange", "token.refresh", "token.revoke",
  "device.grant", "device.withdraw", "device.rename", "device.revoke", "key.create", "key.revoke", "key.grant", "key.withdraw",
  "api_key.create", "api_key.revoke", "tool.accept", "tool.run", "session.tools", "mcp.connect",
  "mcp.login", "mcp.disconnect", "secrets.prepare", "secrets.rotate", "prompt.answer", "prompt.answer.late",
  "prompt.reveal", "push_preferences.set", "data.erase", "credential.guess", "apple.sign_in",
]

/** Who was let in, refused and revoked. */
export function Audit() {
  const isAdministrator = useStore(mayAdminister)
  if (isAdministrator) return <Log />
  return <NeedsAdminister />
}

function Log() {
  const [action, setAction] = useState("")
  const [actor, setActor] = useState("")
  const { devices, names } = useDevices()
  return (
    <>
      <div className="searchfilters">
        <Choice label={t("audit.action")} first={t("audit.any")} values={actions} value={action} name={(one) => named("audit.kind", one)} onChange={setAction} />
        <Choice label={t("audit.actor")} first={t("audit.anybody")} values={["admin", ...devices.map((one) => "device:" + one.id)]} value={actor}
          name={(one) => partyOf(one, names)} onChange={setActor} />
      </div>
      <Rows key={action + " " + actor} query={{ action, actor }} names={names} />
    </>
  )
}

function Rows({ query, names }: { query: { action: string; actor: string }; names: Names }) {
  const [older, setOlder] = useState<Entry[]>([])
  const [cursor, setCursor] = useState<string | null | undefined>(undefined)
  const [error, setError] = useState<ApiError | null>(null)
  const read = (from?: string | null) => get<Page<Entry>>("/v1/audit", { limit: 100, ...query, cursor: from })
  const first = useLoaded(() => read(), [])
  const next = cursor === undefined ? first.value?.next_cursor : cursor
  const more = () => {
    setError(null)
    read(next).then((page) => {
      setOlder((all) => [...all, ...page.data])
      setCursor(page.next_cursor ?? null)
    }, (fault: unknown) => setError(asApiError(fault)))
  }
  const rows = foldedEntries([...(first.value?.data ?? []), ...older])
  return (
    <>
      <Fault what={t("unread.settings")} error={first.error} again={first.again} />
      {!first.value && !first.error && <Skeleton label={t("list.reading")} />}
      {first.value && rows.length === 0 && <p className="empty soft">{t("search.nothing")}</p>}
      <div className="scroll audit" tabIndex={0} role="group" aria-label={t("settings.audit")}>
        <table>
          <thead><tr>{(["audit.at", "audit.action", "audit.result"] as const).map((word) => <th key={word} scope="col">{t(word)}</th>)}</tr></thead>
          <tbody>{rows.map((row) => <Told key={row.entry.id} row={row} names={names} />)}</tbody>
        </table>
      </div>
      <Fault what={t("unread.settings")} error={error} again={more} />
      {next && <button type="button" className="quiet" onClick={more}>{t("more")}</button>}
    </>
  )
}

/** One row as a sentence. What the log calls it stands beside it. */
function Told({ row: { entry, count }, names }: { row: Shown; names: Names }) {
  const values = { who: partyOf(entry.actor, names), whom: partyOf(entry.object, names) }
  const sentence = named("audit.said", entry.action)
  const isKnown = sentence.includes("{")
  const text = isKnown ? sentence.replace(/\{(\w+)\}/g, (_, name: "who" | "whom") => values[name]) : `${values.who}: ${sentence} ${values.whom}`
  const attempts = count > 1 ? count : entry.attempts ?? 1
  return (
    <tr>
      <td className="num"><When time={entry.at} /></td>
      <td><Plain text={text.trim()} />{attempts > 1 && <b className="num"> ×{attempts}</b>} <code className="faint small">{entry.action}</code></td>
      <td className={entry.result === "granted" ? "soft" : "minus"}>{named("audit.result", entry.result)}</td>
    </tr>
  )
}
