import { useMemo, useRef, useState } from "react"
import { useKeys } from "../lib/keys"
import { useLoaded } from "../lib/load"
import { go } from "../lib/route"
import { useStore } from "../lib/store"
import { compact, money } from "../lib/time"
import { asApiError } from "../api/errors"
import type { UsageRow } from "../api/usage"
import { Ago } from "../parts/Age"
import { Fault, Skeleton } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { mayAdminister } from "../state/me"
import { say } from "../state/toast"
import { useTitle } from "../state/title"
import { useKeptScroll } from "../views/keptScroll"
import { explained, t } from "../words/words"
import { NewProject } from "./NewProject"
import { readProjects, readWeek, type Project, type ProjectPage } from "./requests"
import { useSessionsTurn, useWaiting } from "./useWaiting"

/** All projects of all machines, those with work first that was done last. */
export function Projects() {
  useTitle(t("projects"))
  const [more, setMore] = useState<ProjectPage>({ projects: [], next: null })
  const turn = useSessionsTurn()
  const first = useLoaded(() => readProjects(), [turn])
  const week = useLoaded(readWeek, [])
  const waiting = useWaiting()
  const [text, setText] = useState("")
  const [isMaking, setMaking] = useState(false)
  const isAdministrator = useStore(mayAdminister)
  const field = useRef<HTMLInputElement>(null)
  useKeys({ "/": () => field.current?.focus() })
  const next = more.projects.length > 0 ? more.next : first.value?.next ?? null
  const all = useMemo(() => {
    const own = first.value?.projects ?? []
    return [...own, ...more.projects.filter((row) => !own.some((one) => one.id === row.id))]
  }, [first.value, more])
  const shown = all.filter((one) => fits(one, text))
  const view = useKeptScroll<HTMLElement>(first.value !== null)
  const readOn = () => {
    readProjects(next).then((page) => setMore((now) => ({ projects: [...now.projects, ...page.projects], next: page.next })),
      (fault: unknown) => say(explained(asApiError(fault))))
  }
  return (
    <main ref={view} className="page projects">
      <header className="bar">
        <h1>{t("projects")}</h1>
        <span className="grow" />
        <button type="button" className="quiet new" onClick={() => setMaking(true)}>{t("project.new")}</button>
      </header>
      <p className="searchbox">
        <input ref={field} type="search" aria-label={t("project.filter")} placeholder={t("project.filter")} value={text} dir="auto"
          onChange={(event) => setText(event.target.value)} />
      </p>
      <Fault what={t("unread.projects")} error={first.error} again={first.again} />
      {first.value === null && !first.error && <Skeleton label={t("reading")} />}
      {first.value && all.length === 0 && <p className="empty soft">{t("project.none")}</p>}
      {all.length > 0 && shown.length === 0 && <p className="empty soft">{t("project.noneFits")}</p>}
      <ul className="results" aria-label={t("projects")}>
        {shown.map((one) => <Row key={one.id} project={one} week={week.value?.get(one.id)} isPriced={week.value !== null} waiting={waiting.get(one.id) ?? 0} />)}
      </ul>
      {next && <button type="button" className="quiet extra" onClick={readOn}>{t("project.more")}</button>}
      {isMaking && <NewProject mayMake={isAdministrator} onClose={() => setMaking(false)}
        onMade={(made) => go("#/projects/" + encodeURIComponent(made.id))} />}
    </main>
  )
}

function fits(project: Project, text: string): boolean {
  const inside = [project.name, project.path, project.machine_name, project.description].filter(Boolean).join("\n").toLowerCase()
  return text.toLowerCase().split(/\s+/).every((word) => inside.includes(word))
}

interface RowProps {
  project: Project
  week: UsageRow | undefined
  isPriced: boolean
  waiting: number
}

function Row({ project, week, isPriced, waiting }: RowProps) {
  return (
    <li>
      <a className="item" href={"#/projects/" + encodeURIComponent(project.id)}>
        <span className="name row">
          <span className="clip"><Plain text={project.name} /></span>
          {waiting > 0 && <span className="tag wait">{t("project.waits", { n: waiting })}</span>}
        </span>
        <span className="soft num small">{isPriced && (week?.cost ?? 0) > 0 && t("project.week", { cost: money(week?.cost ?? 0) })}</span>
        <span className="where clip"><Plain text={[project.machine_name, project.path].filter(Boolean).join(" · ") || t("project.nowhere")} /></span>
        <span className="what small num">
          {t("sessions.count", { n: project.session_count })}
          {project.active_session_count > 0 && <> · {t("project.active", { n: project.active_session_count })}</>}
          {week && week.tokens > 0 && <> · {t("project.tokens", { n: compact(week.tokens) })}</>}
          {" "}· <Ago time={project.updated_at} />
        </span>
      </a>
    </li>
  )
}
