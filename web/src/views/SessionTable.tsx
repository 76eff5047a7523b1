import type { Session } from "../api/types"
import { spent } from "../lib/spent"
import { sessionLink } from "../lib/route"
import { money, secondsSince, shortAge } from "../lib/time"
import { oneLine, visibleText } from "../lib/visible"
import { Ago } from "../parts/Age"
import { Mark, type MarkKind } from "../parts/Mark"
import { Plain } from "../parts/Plain"
import { placeOf, sessionName } from "../state/names"
import { named, t, type Word } from "../words/words"
import type { Query } from "./query"

interface Props {
  rows: readonly Session[]
  query: Query
  /** Another page is being read. */
  isOld: boolean
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
  onSort: (change: Partial<Query>) => void
}

const columns: { sort: string; word: Word }[] = [
  { sort: "activity", word: "table.activity" }, { sort: "duration", word: "table.duration" }, { sort: "cost", word: "table.cost" },
]

export function SessionTable({ rows, query, isOld, chosen, onChoose, onSort }: Props) {
  const isAll = rows.every((row) => chosen.has(row.id))
  const choose = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    onChoose(next)
  }
  return (
    <table className={isOld ? "all old" : "all"} aria-busy={isOld}>
      <thead>
        <tr>
          <th className="check">
            <label><input type="checkbox" aria-label={t("table.chooseAll")} checked={isAll}
              onChange={() => onChoose(isAll ? new Set() : new Set(rows.map((row) => row.id)))} /></label>
          </th>
          <th>{t("table.session")}</th>
          <th className="state">{t("table.state")}</th>
          {columns.map(({ sort, word }) => (
            <th key={sort} className="num" aria-sort={query.sort !== sort ? undefined : query.order === "asc" ? "ascending" : "descending"}>
              <button type="button" className="quiet" onClick={() => onSort({ sort, order: query.sort === sort && query.order === "desc" ? "asc" : "desc" })}>
                {t(word)}<span className="arrow" aria-hidden="true">{query.sort === sort ? query.order === "asc" ? "↑" : "↓" : ""}</span>
              </button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => <Row key={row.id} session={row} isChosen={chosen.has(row.id)} onChoose={() => choose(row.id)} />)}
      </tbody>
    </table>
  )
}

function Row({ session, isChosen, onChoose }: { session: Session; isChosen: boolean; onChoose: () => void }) {
  const name = oneLine(sessionName(session), 200)
  return (
    <tr className={isChosen ? "sel" : undefined} data-session={session.id}>
      <td className="check">
        <label><input type="checkbox" aria-label={visibleText(t("table.choose", { name }))} checked={isChosen} onChange={onChoose} /></label>
      </td>
      <td className="about">
        <a className="plainlink" href={sessionLink(session.id)}>
          <b className="clip">{session.pinned && <span className="pin" aria-hidden="true" />}<Plain text={name} /></b>
          <span className="clip soft small"><Plain text={placeOf(session)} /></span>
        </a>
      </td>
      <td className="state small"><span className="row"><Mark kind={markOfSession(session)} />{stateName(session)}</span></td>
      <td className="num small"><Ago time={session.last_activity_at} /></td>
      <td className="num small">{shortAge(secondsSince(session.started_at, Date.parse(session.ended_at ?? session.last_activity_at)))}</td>
      <td className="num small">{session.total_cost === undefined ? "–" : money(spent(session))}</td>
    </tr>
  )
}

export function stateName(session: Session): string {
  const state = session.status === "ended" ? t("filter.ended") : named("state", session.state)
  return session.archived ? `${state} · ${t("filter.archive")}` : state
}

export function markOfSession(session: Session): MarkKind {
  if (session.status === "ended") return "idle"
  return session.state === "waiting" ? "wait" : session.state === "running" ? "work" : session.state === "error" ? "bad" : "idle"
}
