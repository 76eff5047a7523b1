import { useCallback, useEffect, useState } from "react"
import { asApiError, type ApiError } from "../api/errors"
import { number } from "../lib/time"
import { oneLine } from "../lib/visible"
import { useRecovery } from "../live/recovery"
import { Fault, Skeleton } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"
import { serverHash, type ToolsAddress } from "./address"
import { findTools, type Tool, type ToolPage } from "./requests"
import { placeOf } from "./state"

const typingMilliseconds = 200

/** The tools that fit some words, the fittest first. */
export function FoundTools({ asked }: { asked: ToolsAddress }) {
  const { text, machine, project } = asked
  const [found, setFound] = useState<ToolPage | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [turn, setTurn] = useState(0)
  const again = useCallback(() => setTurn((count) => count + 1), [])
  useRecovery(error, again)
  useEffect(() => {
    const stop = new AbortController()
    const timer = window.setTimeout(() => {
      findTools({ machine, project }, text.trim(), null, stop.signal).then((page) => {
        setFound(page)
        setError(null)
      }, (fault: unknown) => {
        if (!stop.signal.aborted) setError(asApiError(fault))
      })
    }, found === null ? 0 : typingMilliseconds)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text, machine, project, turn])
  const more = () => {
    findTools({ machine, project }, text.trim(), found?.next ?? null).then(
      // Unless something else has been asked for since.
      (page) => setFound((now) => now === found ? { tools: [...(now?.tools ?? []), ...page.tools], next: page.next } : now),
      (fault: unknown) => setError(asApiError(fault)))
  }
  const count = found?.tools.length ?? 0
  return (
    <>
      <Fault what={t("unread.tools")} error={error} again={again} />
      {!found && !error && <Skeleton label={t("search.reading")} />}
      <h2 className="group"><span>{t("tools.found")}</span>
        <span className="num" role="status">{found && t(found.next ? "tools.first" : "tools.count", { n: number(count) })}</span></h2>
      {found && count === 0 && <p className="empty soft">{t("tools.noneFits")}</p>}
      <ul className="results" aria-label={t("tools.found")}>{found?.tools.map((one) => <FoundRow key={one.server_id + one.tool} tool={one} />)}</ul>
      {found?.next && <button type="button" className="quiet extra" onClick={more}>{t("more")}</button>}
    </>
  )
}

function FoundRow({ tool }: { tool: Tool }) {
  return (
    <li>
      <a className="item" href={serverHash(tool.server_id, tool.tool)}>
        <span className="name clip"><Plain text={tool.name} />{tool.state === "changed" && <span className="tag wait">{t("tool.changed")}</span>}</span>
        <span />
        <span className="where clip"><Plain text={placeOf(tool)} /></span>
        <span className="what small clip">{tool.state === "unlisted" ? t("tool.nameOnly") : <Plain text={oneLine(tool.description)} />}</span>
      </a>
    </li>
  )
}
