import { useRef, useState } from "react"
import type { SessionMap } from "../state/sessions"
import { groupNames } from "../state/groups"
import { projectLabel } from "../state/names"
import { useKeys } from "../lib/keys"
import { visibleText } from "../lib/visible"
import { named, t } from "../words/words"
import type { Filter } from "./filter"

interface Props {
  filter: Filter
  sessions: SessionMap
  /** Beside another view: all but the text is a button away. */
  isShort: boolean
  onChange: (filter: Filter) => void
}

export function Filters({ filter, sessions, isShort, onChange }: Props) {
  const field = useRef<HTMLInputElement>(null)
  // The field of the view beside the list comes first.
  useKeys({ "/": () => (document.querySelector<HTMLElement>("main [type=search]") ?? field.current)?.focus() })
  const all = [...sessions.values()]
  const machines = unique(all.map((session) => session.machine_name ?? session.machine_id))
  const labels = new Map(all.filter((session) => session.workspace_id).map((session) => [session.workspace_id as string, projectLabel(session.project_path)]))
  const projects = [...labels.keys()].sort((one, other) => (labels.get(one) ?? "").localeCompare(labels.get(other) ?? ""))
  const [isOpen, setOpen] = useState(false)
  const count = [filter.machine, filter.project, filter.state].filter(Boolean).length
  return (
    <div className={isOpen || count > 0 ? "filters open" : isShort ? "filters short" : "filters"}>
      <input ref={field} type="search" aria-label={t("filter.text")} placeholder={t("filter.text")} value={filter.text}
        onChange={(event) => onChange({ ...filter, text: event.target.value })} />
      <button type="button" className="quiet choose" aria-expanded={isOpen || count > 0} onClick={() => {
        // Closed filters that still act would hide sessions without a word.
        if (isOpen || count > 0) onChange({ ...filter, machine: "", project: "", state: "" })
        setOpen(!isOpen && count === 0)
      }}>
        {t(isOpen || count > 0 ? "filter.fewer" : "filter.more")}
      </button>
      <Choice label={t("filter.state")} values={groupNames} value={filter.state} name={(one) => named("group", one)}
        onChange={(state) => onChange({ ...filter, state: state as Filter["state"] })} />
      {machines.length > 1 && (
        <Choice label={t("filter.machine")} values={machines} value={filter.machine}
          onChange={(machine) => onChange({ ...filter, machine })} />
      )}
      {projects.length > 1 && (
        <Choice label={t("filter.project")} values={projects} value={filter.project} name={(id) => visibleText(labels.get(id) ?? id)}
          onChange={(project) => onChange({ ...filter, project })} />
      )}
    </div>
  )
}

interface ChoiceProps {
  label: string
  /** What the choice of none is called; absent: as the label. */
  first?: string
  values: readonly string[]
  value: string
  /** How a value is shown; absent: as it is. */
  name?: (value: string) => string
  onChange: (value: string) => void
}

export function Choice({ label, first = label, values, value, name, onChange }: ChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{first}</option>
      {values.map((one) => <option key={one} value={one}>{name ? name(one) : visibleText(one)}</option>)}
    </select>
  )
}

function unique(names: string[]): string[] {
  return [...new Set(names.filter(Boolean))].sort((one, other) => one.localeCompare(other))
}

export function matches(filter: Filter, texts: (string | undefined)[], machine: string, project: string): boolean {
  if (filter.machine && filter.machine !== machine) return false
  if (filter.project && filter.project !== project) return false
  const wanted = filter.text.trim().toLowerCase()
  return !wanted || texts.some((text) => text?.toLowerCase().includes(wanted))
}
