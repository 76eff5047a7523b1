import type { Ref } from "react"
import { get } from "../api/http"
import type { Page } from "../api/types"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { visibleText } from "../lib/visible"
import { machines } from "../state/machines"
import { labelsOf } from "../state/names"
import { named, t } from "../words/words"
import { Choice } from "./Filters"
import { archives, sorts, states, type Query } from "./query"

interface Project {
  id: string
  name?: string
  path?: string
}

interface Props {
  query: Query
  field: Ref<HTMLInputElement>
  onChange: (change: Partial<Query>, isTyped?: boolean) => void
}

const mostProjects = 200

/** Which sessions the table shows, by the server. */
export function TableFilters({ query, field, onChange }: Props) {
  const names = useStore(machines).map((machine) => machine.name)
  const projects = useLoaded(() => get<Page<Project>>("/v1/projects", { limit: mostProjects }), []).value?.data ?? []
  const labels = labelsOf(projects.map((project) => project.path ?? ""))
  const nameOf = (id: string) => {
    const project = projects.find((one) => one.id === id)
    return visibleText(labels.get(project?.path ?? "") ?? project?.name ?? id)
  }
  return (
    <div className="filters all">
      <input ref={field} type="search" aria-label={t("filter.text")} placeholder={t("table.text")} value={query.text} dir="auto"
        onChange={(event) => onChange({ text: event.target.value }, true)} />
      <Choice label={t("filter.state")} values={states} value={query.state} name={stateName} onChange={(state) => onChange({ state })} />
      <Choice label={t("filter.machine")} values={names} value={query.machine} onChange={(machine) => onChange({ machine })} />
      <Choice label={t("filter.project")} values={projects.map((one) => one.id)} value={query.project} name={nameOf} onChange={(project) => onChange({ project })} />
      <Choice label={t("filter.archive")} first={t("archived.no")} values={archives} value={query.archived}
        name={(one) => t(one === "true" ? "archived.yes" : "archived.all")} onChange={(archived) => onChange({ archived })} />
      <select className="sort" aria-label={t("table.sort")} value={query.sort} onChange={(event) => onChange({ sort: event.target.value, order: "desc" })}>
        {sorts.map((sort) => <option key={sort} value={sort}>{named("table", sort)}</option>)}
      </select>
    </div>
  )
}

function stateName(state: string): string {
  return state === "ended" ? t("filter.ended") : state === "quiet" ? t("filter.quiet") : named("state", state)
}
