import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { asApiError, type ApiError } from "../../api/errors"
import { go } from "../../lib/route"
import { useKeys } from "../../lib/keys"
import { useRecovery } from "../../live/recovery"
import { Ago } from "../../parts/Age"
import { Skeleton } from "../../parts/Notice"
import { Plain } from "../../parts/Plain"
import { t } from "../../words/words"
import { Refusal } from "../Refusal"
import type { Project } from "../useProject"
import type { GitAddress } from "./address"
import { CommitView } from "./CommitView"
import { Graph } from "./Graph"
import { graphRows } from "./graphRows"
import { readGit, type Log, type LogEntry } from "./requests"

const perPage = 50

interface Props {
  project: Project
  address: GitAddress
  turn: number
  linkOf: (address: Partial<GitAddress>) => string
}

/** The commits, the newest first, with the lines of their history. */
export function LogTab({ project, address, turn, linkOf }: Props) {
  const { commits, hasMore, columns, isReading, error, more, again } = useLog(project, address.branch, turn)
  const rows = useMemo(() => graphRows(commits ?? []), [commits])
  const { commit } = address
  useKeys({ Escape: commit ? () => go(linkOf({ tab: "log", branch: address.branch })) : undefined })
  const back = linkOf({ tab: "log", branch: address.branch })
  return (
    <div className={commit ? "side-by open" : "side-by"}>
      <div className="finding">
        {address.branch && (
          <p className="row of-branch"><span className="grow small wrap"><Plain text={t("git.logOf", { branch: address.branch })} /></span>
            <a className="small" href={linkOf({ tab: "log" })}>{t("git.logAll")}</a></p>
        )}
        <Refusal error={error} machine={project.machine} needs="git=read" again={again} />
        {!commits && !error && <Skeleton label={t("reading")} />}
        {commits?.length === 0 && <p className="empty soft">{t("git.noCommits")}</p>}
        {commits && commits.length > 0 && (
          <ol className="log-list" aria-label={t("git.log")}>
            {commits.map((one, index) => (
              <li key={one.sha} className={one.sha === commit ? "sel" : undefined}>
                <Graph row={rows[index]!} columns={columns} isMerge={one.is_merge} />
                <Row one={one} href={linkOf({ tab: "log", commit: one.sha, branch: address.branch })} isShown={one.sha === commit} />
              </li>
            ))}
          </ol>
        )}
        {hasMore && <button type="button" className="quiet extra" disabled={isReading} onClick={more}>{t(isReading ? "reading" : "git.older")}</button>}
      </div>
      {commit ? <CommitView key={commit} project={project} commit={commit} backTo={back} /> : <p className="empty soft wide">{t("git.chooseCommit")}</p>}
    </div>
  )
}

function Row({ one, href, isShown }: { one: LogEntry; href: string; isShown: boolean }) {
  return (
    <a href={href} className="commit-row" aria-current={isShown ? "true" : undefined}>
      <span className="clip"><Refs refs={one.refs} /><Plain text={one.subject} /></span>
      <span className="soft small clip"><span className="mono">{one.short_sha}</span> · <Plain text={one.author} /> · <Ago time={one.date} /></span>
    </a>
  )
}

export function Refs({ refs }: { refs: LogEntry["refs"] }) {
  return <>{refs.map((ref) => <span key={ref.type + ref.name} className={"tag ref " + ref.type}><Plain text={ref.name} /></span>)}</>
}

interface FoundLog {
  commits: LogEntry[] | null
  hasMore: boolean
  columns: number
  isReading: boolean
  error: ApiError | null
  more: () => void
  again: () => void
}

/** Pages of the log. The graph is that of one answer, so a longer log is read from its beginning. */
function useLog(project: Project, branch: string, turn: number): FoundLog {
  const [log, setLog] = useState<Log | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [isReading, setReading] = useState(false)
  const [own, setOwn] = useState(0)
  const count = useRef(perPage)
  const run = useRef(0)
  useEffect(() => {
    const current = ++run.current
    setReading(true)
    readLog(project, branch, count.current).then((found) => {
      if (run.current !== current) return
      setLog(found)
      setError(null)
      setReading(false)
    }, (fault: unknown) => {
      if (run.current !== current) return
      setError(asApiError(fault))
      setReading(false)
    })
    return () => {
      run.current++
    }
  }, [project.id, branch, turn, own])
  const again = useCallback(() => setOwn((times) => times + 1), [])
  useRecovery(error, again)
  return {
    commits: log?.commits ?? null, hasMore: log?.has_more ?? false, columns: log?.max_columns ?? 1, isReading, error,
    more: () => {
      count.current += count.current
      setOwn((times) => times + 1)
    },
    again,
  }
}

const most = 200

/** As many commits; where they are more than one answer has, those beyond it without a graph. */
async function readLog(project: Project, branch: string, count: number): Promise<Log> {
  const query = { graph: "true", branch: branch || undefined }
  let log = await readGit<Log>(project.id, "log", { ...query, limit: Math.min(most, count) })
  while (log.has_more && log.commits.length < count) {
    const next = await readGit<Log>(project.id, "log", { ...query, limit: most, offset: log.commits.length })
    log = { commits: [...log.commits, ...next.commits], has_more: next.has_more, max_columns: Math.max(log.max_columns ?? 1, next.max_columns ?? 1) }
  }
  return log
}
