import { useEffect, useRef, useState } from "react"
import type { Session } from "../api/types"
import { useKeys } from "../lib/keys"
import { useStore } from "../lib/store"
import { number } from "../lib/time"
import { Fault, Skeleton } from "../parts/Notice"
import { archive } from "../state/change"
import { mayRespond } from "../state/me"
import { useTitle } from "../state/title"
import { t } from "../words/words"
import { useKeptScroll } from "./keptScroll"
import { perPage, tableHash } from "./query"
import { SessionTable } from "./SessionTable"
import { TableFilters } from "./TableFilters"
import { useQuery, useTable } from "./useTable"

/** All sessions of all machines, also those that the list does not hold: a page at a time, in any order. */
export function AllSessions({ query: hashQuery }: { query: string }) {
  useTitle(t("sessions.all"))
  const [query, change] = useQuery(hashQuery)
  const table = useTable(query)
  const view = useKeptScroll<HTMLElement>(table.rows !== null, tableHash(query))
  const field = useRef<HTMLInputElement>(null)
  useKeys({ "/": () => field.current?.focus() })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => setChosen(new Set()), [table.rows === null, query])
  const { rows, total } = table
  const first = (query.page - 1) * perPage
  return (
    <main ref={view} className="page table">
      <header className="bar">
        <h1>{t("sessions.all")}</h1>
        <span className="grow" />
        <span className="soft small num" role="status">
          {rows && (total === 0 ? number(0) : t("table.range", { from: number(first + 1), to: number(first + rows.length), n: number(total) }))}
        </span>
      </header>
      <TableFilters query={query} field={field} onChange={change} />
      <Fault what={t("unread.sessions")} error={table.error} again={table.again} />
      {rows === null && !table.error && <Skeleton label={t("list.reading")} />}
      {chosen.size > 0 && <Bulk rows={rows ?? []} chosen={chosen} onDone={() => {
        setChosen(new Set())
        table.again()
      }} />}
      {rows?.length === 0 && <p className="empty soft">{t("table.none")}</p>}
      {rows && rows.length > 0 && <SessionTable rows={rows} query={query} isOld={table.isReading} chosen={chosen} onChoose={setChosen} onSort={change} />}
      {rows && total > perPage && (
        <nav className="row pagesof" aria-label={t("sessions.all")}>
          <button type="button" disabled={query.page <= 1} onClick={() => change({ page: query.page - 1 })}>{t("table.before")}</button>
          <span className="grow" />
          <button type="button" disabled={first + rows.length >= total} onClick={() => change({ page: query.page + 1 })}>{t("table.next")}</button>
        </nav>
      )}
    </main>
  )
}

/** What can be done to those that are chosen. */
function Bulk({ rows, chosen, onDone }: { rows: readonly Session[]; chosen: ReadonlySet<string>; onDone: () => void }) {
  const mayChange = useStore(mayRespond)
  const of = rows.filter((row) => chosen.has(row.id))
  const [kept, archived] = [of.filter((row) => !row.archived), of.filter((row) => row.archived)]
  const act = (some: Session[], is: boolean) => archive(some.map((one) => one.id), is, onDone)
  return (
    <div className="row bulk" role="group" aria-label={t("table.chosen", { n: chosen.size })}>
      <span className="grow num">{t("table.chosen", { n: chosen.size })}</span>
      {mayChange && kept.length > 0 && <button type="button" onClick={() => act(kept, true)}>{t("archive")}</button>}
      {mayChange && archived.length > 0 && <button type="button" onClick={() => act(archived, false)}>{t("unarchive")}</button>}
    </div>
  )
}
