import { useEffect, useMemo, useRef, useState } from "react"
import { get } from "../api/http"
import { asApiError, type ApiError } from "../api/errors"
import { useRecovery } from "../live/recovery"
import { go, sessionLink } from "../lib/route"
import { useStore } from "../lib/store"
import { useKeys } from "../lib/keys"
import { dateAndTime } from "../lib/time"
import { Fault } from "../parts/Notice"
import { Pieces, Plain } from "../parts/Plain"
import { placeOf, sessionName } from "../state/names"
import { sessions } from "../state/sessions"
import { useTitle } from "../state/title"
import { useKeptScroll } from "./keptScroll"
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

function find(text: string, kind: string): void {
  go("#/search?q=" + encodeURIComponent(text.trim()) + (kind && "&kind=" + kind))
}

interface Page {
  results: Result[]
  next_cursor?: string | null
}

/** Over everything that was said and done, on all machines. */
export function Search({ query, kind }: { query: string; kind: string }) {
  useTitle(t("search"))
  const view = useKeptScroll<HTMLElement>(true, `${kind} ${query}`)
  const [text, setText] = useState(query)
  const field = useRef<HTMLInputElement>(null)
  useKeys({ "/": () => field.current?.focus() })
  useEffect(() => field.current?.focus(), [])
  useEffect(() => setText(query), [query, kind])
  return (
    <main ref={view} className="page">
      <header className="bar"><h1>{t("search")}</h1></header>
      <form role="search" className="searchbox" onSubmit={(event) => {
        event.preventDefault()
        find(text, kind)
      }}>
        <input ref={field} type="search" aria-label={t("search.field")} placeholder={t("search.field")} value={text}
          dir="auto" onChange={(event) => setText(event.target.value)} />
        <select aria-label={t("search.in")} value={kind} onChange={(event) => find(text, event.target.value)}>
          <option value="">{t("search.all")}</option>
          {kinds.map((one) => <option key={one} value={one}>{named("search.kind", one)}</option>)}
        </select>
        <button type="submit" className="yes">{t("search.go")}</button>
      </form>
      <Results key={`${kind} ${query}`} query={query} kind={kind} />
    </main>
  )
}

/** What one search has found. */
function Results({ query, kind }: { query: string; kind: string }) {
  const [found, setFound] = useState<Page | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [turn, setTurn] = useState(0)
  const known = useStore(sessions)
  const words = useMemo(() => wordsOf(query), [query])
  useEffect(() => {
    if (!query) return
    const stop = new AbortController()
    get<Page>("/v1/search", { q: query, kind, limit: 50 }, stop.signal).then((page) => {
      setFound(page)
      setError(null)
    }, (fault: unknown) => {
      if (!stop.signal.aborted) setError(asApiError(fault))
    })
    return () => stop.abort()
  }, [query, kind, turn])
  const again = () => setTurn((count) => count + 1)
  useRecovery(error, again)
  const more = () => {
    void get<Page>("/v1/search", { q: query, kind, limit: 50, cursor: found?.next_cursor }).then((next) =>
      setFound({ ...next, results: [...(found?.results ?? []), ...next.results] }), () => undefined)
  }
  return (
    <>
      <Fault what={t("unread.search")} error={error?.isMissingRoute ? t("search.none") : error} again={again} />
      {found && found.results.length === 0 && <p className="empty soft">{t("search.nothing")}</p>}
      <ul className="results" aria-label={t("search.results")}>
        {found?.results.map((result, index) => {
          const session = known.get(result.session_id)
          return (
            <li key={index}>
              <a className="item" href={sessionLink(result.session_id, result.seq)}>
                <span className="name clip"><Plain text={session ? sessionName(session) : result.session_id} /></span>
                <span className="soft small num">{named("kind", result.kind)} · {dateAndTime(result.timestamp)}</span>
                {session && <span className="where clip"><Plain text={placeOf(session)} /></span>}
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
