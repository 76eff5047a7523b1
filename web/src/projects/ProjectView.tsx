import { useState } from "react"
import type { Session } from "../api/types"
import { starting } from "../drive/starting"
import { useLoaded } from "../lib/load"
import { sessionLink } from "../lib/route"
import { useStore } from "../lib/store"
import { spent, unpricedNote } from "../lib/spent"
import { compact, money, number } from "../lib/time"
import { oneLine, withoutHidden } from "../lib/visible"
import { Ago } from "../parts/Age"
import { Mark } from "../parts/Mark"
import { Empty, Fault, Skeleton } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { OneLayer } from "../settings/Notifications"
import { mayControl } from "../state/me"
import { branchOf, sessionName } from "../state/names"
import { sessions } from "../state/sessions"
import { useTitle } from "../state/title"
import { useWorkspace } from "../state/workspace"
import { useKeptScroll } from "../views/keptScroll"
import { markOfSession, stateName } from "../views/SessionTable"
import { t } from "../words/words"
import { ProjectSettingsForm } from "./ProjectSettingsForm"
import { readProject, readSessions, readWeek, sessionsLink, type Project } from "./requests"
import { useSessionsTurn, useWaiting } from "./useWaiting"

/** A project: what runs in it, what it has cost in the last week, its files and repository, and its settings. */
export function ProjectView({ id }: { id: string }) {
  const turn = useSessionsTurn(id)
  const { value, error, again } = useLoaded(() => readProject(id), [id, turn])
  const [saved, setSaved] = useState<Project | null>(null)
  const project = newer(saved, value)
  const view = useKeptScroll<HTMLElement>(project !== null)
  useTitle(project ? withoutHidden(project.name) : t("projects"))
  return (
    <main ref={view} className="page project">
      <header className="bar">
        <a className="back" href="#/projects" aria-label={t("project.back")}><span aria-hidden="true">‹</span></a>
        <div className="grow heading">
          <h1 className="clip">{project ? <Plain text={project.name} /> : t("project")}</h1>
          {project && <p className="clip soft small"><Plain text={[project.machine_name, project.path].filter(Boolean).join(" · ") || t("project.nowhere")} /></p>}
        </div>
        {project && <Ways project={project} />}
      </header>
      {error?.code === "project_not_found" ? <Empty><h2>{t("project.gone")}</h2><a href="#/projects">{t("project.back")}</a></Empty>
        : <Fault what={t("unread.project")} error={error} again={again} />}
      {!project && !error && <Skeleton label={t("reading")} />}
      {project && <Shown project={project} turn={turn} onSaved={setSaved} />}
    </main>
  )
}

function newer(one: Project | null, other: Project | null): Project | null {
  if (!one || !other) return one ?? other
  return one.updated_at > other.updated_at ? one : other
}

/** To files and Git, where the machine has an agent; and to a new session there. */
function Ways({ project }: { project: Project }) {
  const isAny = useWorkspace(project.machine_name)
  const may = useStore(mayControl)
  const id = encodeURIComponent(project.id)
  const start = () => starting.set({ machine: project.machine_name ?? "", path: project.path ?? "", model: project.settings?.default_model })
  if (!isAny || !project.path) return null
  return (
    <nav className="ways" aria-label={t("by.project")}>
      <a href={`#/files/${id}`}>{t("files")}</a>
      <a href={`#/git/${id}`}>{t("git")}</a>
      <a href={`#/tools?project=${id}`}>{t("tools")}</a>
      {may && <button type="button" className="quiet new" onClick={start}>{t("start.new")}</button>}
    </nav>
  )
}

function Shown({ project, turn, onSaved }: { project: Project; turn: string; onSaved: (project: Project) => void }) {
  const week = useLoaded(readWeek, [])
  const own = week.value?.get(project.id)
  const waiting = useWaiting().get(project.id) ?? 0
  return (
    <>
      {project.description && <p className="note soft wrap" dir="auto"><Plain text={project.description} /></p>}
      <dl className="tiles">
        <div><dt>{t("project.weekCost")}</dt><dd>{week.value ? money(own?.cost ?? 0) : "…"}</dd></div>
        <div><dt>{t("project.weekTokens")}</dt><dd>{week.value ? compact(own?.tokens ?? 0) : "…"}</dd></div>
        <div><dt>{t("sessions")}</dt><dd>{number(project.session_count)}</dd></div>
        <div><dt>{t("project.waiting")}</dt><dd>{number(waiting)}</dd></div>
      </dl>
      {(own?.unpriced.requests ?? 0) > 0 && own && <p className="note small soft">{unpricedNote(own.unpriced)}</p>}
      <Fault what={t("unread.figures")} error={week.error} again={week.again} />
      <ProjectSessions project={project.id} turn={turn} />
      <section className="panel" aria-label={t("settings")}>
        <h2>{t("settings")}</h2>
        <ProjectSettingsForm project={project} onSaved={onSaved} />
        <PushSettings project={project.id} />
      </section>
    </>
  )
}

/** Opened on request: most projects are as all others. */
function PushSettings({ project }: { project: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="figure" onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>{t("project.push")}</summary>
      {isOpen && <OneLayer scope={"project " + project} own={null} />}
    </details>
  )
}

function ProjectSessions({ project, turn }: { project: string; turn: string }) {
  const { value, error, again } = useLoaded(() => readSessions(project), [project, turn])
  const known = useStore(sessions)
  return (
    <section aria-label={t("sessions")}>
      <h2 className="group"><span>{t("sessions")}</span></h2>
      <Fault what={t("unread.sessions")} error={error} again={again} />
      {value?.rows.length === 0 && <p className="note soft">{t("project.noSessions")}</p>}
      <ul className="results" aria-label={t("sessions")}>
        {(value?.rows ?? []).map((row) => <SessionRow key={row.id} session={known.get(row.id) ?? row} />)}
      </ul>
      {value && value.total > value.rows.length && <a className="extra link" href={sessionsLink(project)}>{t("list.allOf", { n: number(value.total) })}</a>}
    </section>
  )
}

function SessionRow({ session }: { session: Session }) {
  return (
    <li>
      <a className="item" href={sessionLink(session.id)}>
        <span className="name clip"><Plain text={oneLine(sessionName(session), 200)} /></span>
        <span className="soft num small">{session.total_cost === undefined ? "–" : money(spent(session))}</span>
        <span className="what small row">
          <Mark kind={markOfSession(session)} />
          <span className="grow clip">{stateName(session)}{branchOf(session) && <> · <Plain text={branchOf(session) ?? ""} /></>}</span>
          <span className="num"><Ago time={session.last_activity_at} /></span>
        </span>
      </a>
    </li>
  )
}
