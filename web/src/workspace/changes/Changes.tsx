import { go } from "../../lib/route"
import { useKeys } from "../../lib/keys"
import { useLoaded } from "../../lib/load"
import { useStore } from "../../lib/store"
import { number } from "../../lib/time"
import { Ago } from "../../parts/Age"
import { Skeleton } from "../../parts/Notice"
import { Plain } from "../../parts/Plain"
import { placeOf, sessionName } from "../../state/names"
import { putSession, readSession, sessions } from "../../state/sessions"
import { useTitle } from "../../state/title"
import { named, t, textFor } from "../../words/words"
import { filesQuery } from "../files/address"
import { Counts } from "../git/StatusList"
import { workspaceLink } from "../links"
import { Refusal } from "../Refusal"
import { Shell } from "../Shell"
import { ChangeView } from "./ChangeView"
import type { SessionChanges, SessionFile } from "./requests"
import { useChanges } from "./useChanges"

/** What a session has changed since it began: the files with their counts, and beside them the change of one. */
export function Changes({ id, query }: { id: string; query: string }) {
  const session = useStore(sessions).get(id)
  // Only the latest are in the list.
  useLoaded(async () => {
    const found = session ? null : await readSession(id)
    if (found) putSession(found)
    return null
  }, [id])
  const name = session ? sessionName(session) : id
  useTitle(`${name} · ${t("changes")}`)
  const project = session?.project_id ?? session?.workspace_id
  return (
    <Shell view="changes" title={name} place={session ? placeOf(session) : ""} project={project} session={id}>
      <Opened key={id} id={id} query={query} machine={session?.machine_name ?? ""} project={project} root={session?.project_path ?? ""} />
    </Shell>
  )
}

interface OpenedProps {
  id: string
  query: string
  machine: string
  project: string | undefined
  root: string
}

function Opened({ id, query, machine, project, root }: OpenedProps) {
  const { changes, error, isReading, turn, more, again } = useChanges(id, project)
  const given = new URLSearchParams(query)
  const bytes = given.get("b64")
  const path = given.get("file") ?? ""
  const wanted = path ? { path: belowRepository(path, root, changes?.repo_root), ...(bytes && { path_b64: bytes }) } : null
  const link = (file?: SessionFile) => workspaceLink("changes", id, { file: file?.path, b64: file?.path_b64 })
  const files = changes?.files ?? []
  const at = wanted ? files.findIndex((file) => file.path === wanted.path) : -1
  const step = (to: 1 | -1) => {
    const next = files[at + to]
    if (next) location.replace(link(next))
  }
  useKeys({ Escape: wanted ? () => go(link()) : undefined, n: wanted ? undefined : () => step(1) })
  if (!changes) return error ? <Absent error={error} machine={machine} again={again} /> : <Skeleton label={t("reading")} />
  return (
    <div className={wanted ? "side-by open" : "side-by"}>
      <div className="finding">
        <Summary changes={changes} onAgain={again} isReading={isReading} />
        <Refusal error={error} machine={machine} needs="git=read" again={again} />
        <ul className="area" aria-label={t("changes.files")}>
          {files.map((file) => <Row key={file.path_b64 ?? file.path} file={file} href={link(file)} isShown={file.path === wanted?.path} />)}
        </ul>
        {changes.has_more && changes.next_cursor && <button type="button" className="quiet extra" disabled={isReading} onClick={more}>{t(isReading ? "reading" : "files.moreUncounted")}</button>}
      </div>
      {wanted ? (
        <ChangeView key={wanted.path} session={id} machine={machine} wanted={wanted} line={Number(given.get("line")) || 0} turn={turn} backTo={link()}
          fileLink={fileLink(project, id, root, changes.repo_root, wanted)} onStep={step} />
      ) : files.length > 0 && <p className="empty soft wide">{t("changes.choose")}</p>}
    </div>
  )
}

function Summary({ changes, isReading, onAgain }: { changes: SessionChanges; isReading: boolean; onAgain: () => void }) {
  const { totals, base, end, complete, reason } = changes
  return (
    <div className="branchline">
      <p className="grow">
        <b className="num">{t("git.files", { n: number(totals.files) })}</b> <Counts added={totals.additions} removed={totals.deletions} />
        <span className="soft small under">
          {base && <>{t("changes.since")} <Ago time={base.taken_at} /></>}
          {end && <> · {t(end.at === "now" ? "changes.now" : "changes.stop")} <Ago time={end.taken_at} /></>}
        </span>
        {changes.is_last_known && (
          <span className="warn small under" role="note">{t("changes.last")} <Ago time={new Date(Date.now() - 1000 * (changes.age_seconds ?? 0)).toISOString()} /></span>
        )}
        {!complete && <span className="warn small under" role="note">{t("changes.incomplete")} {reason ? named("changes.reason", reason) : ""}</span>}
        {complete && totals.files === 0 && <span className="soft under">{t("changes.none")}</span>}
      </p>
      <button type="button" className="quiet" disabled={isReading} onClick={onAgain}>{t("git.readAnew")}</button>
    </div>
  )
}

function Row({ file, href, isShown }: { file: SessionFile; href: string; isShown: boolean }) {
  const at = file.path.lastIndexOf("/")
  const letter = { added: "A", modified: "M", deleted: "D", renamed: "R" }[file.status] ?? "M"
  return (
    <li className={isShown ? "changed sel" : "changed"}>
      <a href={href} className="grow" aria-current={isShown ? "true" : undefined}>
        <b className={"letter s" + letter} aria-hidden="true">{letter}</b>
        <span className="grow">
          <span className="wrap"><Plain text={file.path.slice(at + 1)} /></span>
          <span className="soft small wrap under"><Plain text={[file.path.slice(0, Math.max(0, at)), file.old_path ? `← ${file.old_path}` : ""].filter(Boolean).join(" ")} /></span>
        </span>
        <span className="hear">, {named("changes.status", file.status)}</span>
        {file.is_sensitive && <span className="tag bad">{t("files.secret")}</span>}
        {file.by !== "session" && <span className="tag">{t(`changes.by.${file.by}`)}</span>}
        <Counts added={file.additions ?? 0} removed={file.deletions ?? 0} />
      </a>
    </li>
  )
}

/** Why there is no change set. */
function Absent({ error, machine, again }: { error: Parameters<typeof Refusal>[0]["error"]; machine: string; again: () => void }) {
  if (error?.code === "no_changes" || error?.isMissingRoute) {
    const own = error.code === "no_changes" ? error.message : ""
    return <div className="empty"><p>{t("changes.absent")}</p>{own && <p className="soft small wrap"><Plain text={own} /></p>}</div>
  }
  if (error?.code === "session_not_found") return <p className="empty soft">{textFor("session.none")}</p>
  return <Refusal error={error} machine={machine} needs="git=read" again={again} />
}

/** A path of a link from the timeline is absolute. */
function belowRepository(path: string, root: string, repository: string | undefined): string {
  for (const base of [repository, root]) if (base && path.startsWith(base.replace(/\/+$/, "") + "/")) return path.slice(base.replace(/\/+$/, "").length + 1)
  return path
}

/** Files shows what is below the project's directory, which may be a part of the repository. */
function fileLink(project: string | undefined, session: string, root: string, repository: string, file: { path: string; path_b64?: string }): string | null {
  const whole = repository.replace(/\/+$/, "") + "/" + file.path
  const base = root.replace(/\/+$/, "") + "/"
  if (!project || file.path_b64 !== undefined || !whole.startsWith(base)) return null
  return workspaceLink("files", project, filesQuery({ place: { path: whole.slice(base.length) }, session }))
}
