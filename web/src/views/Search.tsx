import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import { get } from "../api/http"
import { asApiError, type ApiError } from "../api/errors"
import { useRecovery } from "../live/recovery"
import { go, sessionLink, type Route } from "../lib/route"
import { useStore } from "../lib/store"
import { useKeys } from "../lib/keys"
import { When } from "../parts/Age"
import { Fault, Skeleton } from "../parts/Notice"
import { Pieces, Plain } from "../parts/Plain"
import { placeOf, sessionName } from "../state/names"
import { sessions } from "../state/sessions"
import { useTitle } from "../state/title"
import { keepSearch, forgetSearches, searches } from "../state/recent"
import { projectLabel } from "../state/names"
import { machines } from "../state/machines"
import { Choice } from "./Filters"
import { useNamed, useSessionsBy } from "./found"
import { useKeptScroll } from "./keptScroll"
import { tableHash, noQuery } from "./query"
import { named, t } from "../words/words"

interface Result {
  session_id: string
  kind: string
  seq?: number
  line?: number
  timestamp: string
  snippet: string
}

/** The text with the words that were looked for. */
function Found({ text, words }: { text: string; words: RegExp | null }) {
  if (!words) return <Plain text={text} />
  return (
    <bdi>
      {text.split(words).map((piece, index) => index % 2 ? <mark key={index}><Pieces text={piece} /></mark> : <Pieces key={index} text={piece} />)}
    </bdi>
  )
}

/** The words of a query, without those that are excluded and those that join. */
function wordsOf(query: string): RegExp | null {
  const words = query.replace(/(^|\s)-\S+/g, " ").match(/[\p{L}\p{N}_]+/gu)?.filter((word) => word.toLowerCase() !== "or") ?? []
  return words.length === 0 ? null : new RegExp(`(${words.join("|")})`, "giu")
}

const kinds = ["prompt", "answer", "thinking", "tool_input", "tool_output"]

type Asked = Extract<Route, { view: "search" }>

const spans = [1, 7, 30, 90]

function find({ query, kind, machine, project, days }: Asked): void {
  const used = Object.entries({ q: query.trim(), kind, machine, project, days: days ? String(days) : "" }).filter(([, value]) => value)
  if (query.trim()) keepSearch(query.trim())
  go("#/search?" + new URLSearchParams(used).toString())
}

interface Page {
  results: Result[]
  next_cursor?: string | null
}

/** Over everything that was said and done, on all machines. */
export function Search({ asked }: { asked: Asked }) {
  useTitle(t("search"))
  const { query, kind, machine, project, days } = asked
  const name = JSON.stringify([query, kind, machine, project, days])
  const view = useKeptScroll<HTMLElement>(true, name)
  const [text, setText] = useState(query)
  const field = useRef<HTMLInputElement>(null)
  useKeys({ "/": () => field.current?.focus() })
  useEffect(() => field.current?.focus(), [])
  // A layout effect: a later one would replace what the person has begun to type.
  useLayoutEffect(() => setText(query), [name])
  const change = (part: Partial<Asked>) => find({ ...asked, query: text, ...part })
  return (
    <main ref={view} className="page">
      <header className="bar"><h1>{t("search")}</h1></header>
      <form role="search" className="searchbox" onSubmit={(event) => {
        event.preventDefault()
        change({})
      }}>
        <input ref={field} type="search" aria-label={t("search.field")} placeholder={t("search.field")} value={text}
          dir="auto" onChange={(event) => setText(event.target.value)} />
        <button type="submit" className="yes">{t("search.go")}</button>
        <SearchFilters asked={asked} onChange={change} />
      </form>
      {query ? <Results key={name} asked={asked} /> : <Recent onChoose={(recent) => find({ ...asked, query: recent })} />}
    </main>
  )
}

function SearchFilters({ asked, onChange }: { asked: Asked; onChange: (part: Partial<Asked>) => void }) {
  const all = [...useStore(sessions).values()]
  const names = useStore(machines).map((one) => one.name)
  const projects = new Map(all.filter((one) => one.workspace_id).map((one) => [one.workspace_id as string, projectLabel(one.project_path)]))
  const { kind, machine, project, days } = asked
  return (
    <div className="searchfilters">
      <Choice label={t("search.in")} first={t("search.all")} values={kinds} value={kind} name={(one) => named("search.kind", one)}
        onChange={(value) => onChange({ kind: value })} />
      <Choice label={t("filter.machine")} first={t("search.machines")} values={names} value={machine} onChange={(value) => onChange({ machine: value })} />
      <Choice label={t("filter.project")} first={t("search.projects")} values={[...projects.keys()]} value={project} name={(id) => projects.get(id) ?? id}
        onChange={(value) => onChange({ project: value })} />
      <Choice label={t("search.time")} first={t("search.ever")} values={spans.map(String)} value={days ? String(days) : ""}
        name={(one) => t("search.days", { n: Number(one) })} onChange={(value) => onChange({ days: Number(value) })} />
    </div>
  )
}

/** What was searched for last, on this browser. */
function Recent({ onChoose }: { onChoose: (text: string) => void }) {
  const all = useStore(searches)
  if (all.length === 0) return null
  return (
    <section className="recent" aria-label={t("search.recent")}>
      <h2 className="group"><span>{t("search.recent")}</span>
        <button type="button" className="quiet" onClick={forgetSearches}>{t("search.forget")}</button></h2>
      <ul className="results">{all.map((one) => (
        <li key={one}><button type="button" className="quiet line" onClick={() => onChoose(one)}><Plain text={one} /></button></li>
      ))}</ul>
    </section>
  )
}

const shownSessions = 5

/** The sessions that are called so. */
function SessionsFound({ asked: { query, machine, project } }: { asked: Asked }) {
  const { rows, total } = useSessionsBy(query, shownSessions, { machine, project })
  if (rows.length === 0) return null
  return (
    <section aria-label={t("search.sessions")}>
      <h2 className="group"><span>{t("search.sessions")}</span><span className="num">{total}</span></h2>
      <ul className="results">{rows.map((one) => (
        <li key={one.id}><a className="item" href={sessionLink(one.id)}>
          <span className="name clip"><Plain text={sessionName(one)} /></span>
          <When className="soft small num" time={one.last_activity_at} />
          <span className="where clip"><Plain text={placeOf(one)} /></span>
        </a></li>
      ))}</ul>
      {total > rows.length && <a className="extra link" href={tableHash({ ...noQuery, text: query, machine, project, archived: "all" })}>{t("list.allOf", { n: total })}</a>}
    </section>
  )
}

const pageLimit = 50
const dayMilliseconds = 86_400_000

/** What one search has found. */
function Results({ asked }: { asked: Asked }) {
  const { query, kind, machine, project, days } = asked
  const [found, setFound] = useState<Page | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [turn, setTurn] = useState(0)
  const words = useMemo(() => wordsOf(query), [query])
  const known = useNamed(found?.results.map((one) => one.session_id) ?? [])
  const from = useMemo(() => days ? new Date(Date.now() - days * dayMilliseconds).toISOString() : "", [days])
  const request = { q: query, kind, machine_id: machine, project_id: project, from, limit: pageLimit }
  useEffect(() => {
    const stop = new AbortController()
    get<Page>("/v1/search", request, stop.signal).then((page) => {
      setFound(page)
      setError(null)
    }, (fault: unknown) => {
      if (!stop.signal.aborted) setError(asApiError(fault))
    })
    return () => stop.abort()
  }, [turn])
  const again = () => setTurn((count) => count + 1)
  useRecovery(error, again)
  const more = () => {
    get<Page>("/v1/search", { ...request, cursor: found?.next_cursor }).then((next) =>
      setFound({ ...next, results: [...(found?.results ?? []), ...next.results] }), (fault: unknown) => setError(asApiError(fault)))
  }
  const count = found?.results.length ?? 0
  return (
    <>
      <SessionsFound asked={asked} />
      <Fault what={t("unread.search")} error={error?.isMissingRoute ? t("search.none") : error} again={again} />
      <h2 className="group"><span>{t("search.said")}</span>
        <span className="num" role="status">{found && t(found.next_cursor ? "search.many" : "search.count", { n: count })}</span></h2>
      {!found && !error && <Skeleton label={t("search.reading")} />}
      {found && count === 0 && <p className="empty soft">{t("search.nothing")}</p>}
      <ul className="results" aria-label={t("search.results")}>
        {found?.results.map((result, index) => {
          const session = known.get(result.session_id)
          return (
            <li key={index}>
              <a className="item" href={sessionLink(result.session_id, result.seq)}>
                <span className="name clip"><Plain text={session ? sessionName(session) : result.session_id} /></span>
                <When className="soft small num" time={result.timestamp} />
                <span className="where clip">{named("kind", result.kind)}{session && <> · <Plain text={placeOf(session)} /></>}</span>
                <span className="what wrap"><Found text={result.snippet} words={words} /></span>
              </a>
            </li>
          )
        })}
      </ul>
      {found?.next_cursor && <button type="button" className="quiet extra" onClick={more}>{t("more")}</button>}
    </>
  )
}
