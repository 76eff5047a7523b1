import { useState } from "react"
import { get } from "../api/http"
import type { Page } from "../api/types"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { dateAndTime } from "../lib/time"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { mayAdminister } from "../state/me"
import { t } from "../words/words"
import { NeedsAdminister } from "./NeedsAdminister"

interface Entry {
  id: string
  at: string
  actor: string
  action: string
  object?: string
  result: string
  peer?: string
  attempts?: number
}

/** Who was let in, refused and revoked. */
export function Audit() {
  const isAdministrator = useStore(mayAdminister)
  if (isAdministrator) return <Log />
  return <NeedsAdminister />
}

function Log() {
  const [older, setOlder] = useState<Entry[]>([])
  const [cursor, setCursor] = useState<string | null | undefined>(undefined)
  const first = useLoaded(() => get<Page<Entry>>("/v1/audit", { limit: 50 }), [])
  const next = cursor === undefined ? first.value?.next_cursor : cursor
  const more = () => {
    void get<Page<Entry>>("/v1/audit", { limit: 50, cursor: next }).then((page) => {
      setOlder((all) => [...all, ...page.data])
      setCursor(page.next_cursor ?? null)
    })
  }
  const rows = [...(first.value?.data ?? []), ...older]
  return (
    <>
      <Fault what={t("unread.settings")} error={first.error} again={first.again} />
      <div className="scroll audit" tabIndex={0} role="group" aria-label={t("settings.audit")}>
        <table>
          <thead><tr>{(["audit.at", "audit.actor", "audit.action", "audit.object", "audit.result"] as const).map((word) =>
            <th key={word} scope="col">{t(word)}</th>)}</tr></thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <td className="num">{dateAndTime(row.at)}</td>
                <td><Plain text={row.actor} /></td>
                <td><Plain text={row.action} /></td>
                <td><Plain text={row.object ?? ""} /></td>
                <td><Plain text={row.result} />{(row.attempts ?? 1) > 1 && ` ×${row.attempts}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {next && <button type="button" className="quiet" onClick={more}>{t("more")}</button>}
    </>
  )
}
