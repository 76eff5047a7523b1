import { Fragment, useEffect, useMemo, useState } from "react"
import { entries, groupNames, inOrder, projectName, type Entry, type GroupName } from "../state/groups"
import { machines } from "../state/machines"
import { prompts } from "../state/prompts"
import { lookedAtAll, seen } from "../state/seen"
import { sessions, sessionsLoaded } from "../state/sessions"
import { useStore } from "../lib/store"
import { useSteady } from "../lib/steady"
import { named, t } from "../words/words"
import { Filters, matches, noFilter } from "./Filters"
import { FirstSteps } from "./FirstSteps"
import { SessionItem } from "./SessionItem"

/** Groups of which only the first are shown at once. */
const firstOf: Partial<Record<GroupName, number>> = { idle: 30, ended: 15 }

interface Props {
  selected?: string
  isCompact?: boolean
}

/** All sessions of all machines in one list, by what they need. */
export function SessionList({ selected, isCompact = false }: Props) {
  const all = useStore(sessions)
  const open = useStore(prompts)
  const looked = useStore(seen)
  const isLoaded = useStore(sessionsLoaded)
  const clocks = useStore(machines)
  const [filter, setFilter] = useState(noFilter)
  const wanted = useMemo(() => {
    const found = entries(all, open, looked.sessions, looked.all).filter(({ session, group }) =>
      (!filter.state || filter.state === group) && matches(filter, [session.title, session.project_path, session.machine_name, session.id, session.state],
        session.machine_name ?? session.machine_id, projectName(session)))
    return groupNames.flatMap((name) => found.filter((entry) => entry.group === name).sort(inOrder))
  }, [all, open, looked, clocks, filter])
  const { shown, waiting, apply, area } = useSteady(wanted, steady)
  // What a person asks for is shown at once, wherever the pointer is.
  useEffect(apply, [filter])
  const [isWhole, setWhole] = useState(false)
  const hidden = isWhole ? 0 : groupNames.reduce((sum, name) =>
    sum + Math.max(0, shown.filter((entry) => entry.group === name).length - (firstOf[name] ?? Infinity)), 0)
  if (isLoaded && all.size === 0) return <FirstSteps />
  return (
    <>
      {all.size > 3 && <Filters filter={filter} sessions={all} isShort={isCompact} onChange={setFilter} />}
      <div className="sessions" {...area}>
        {waiting > 0 && <button type="button" className="waiting" onClick={apply}>{t("list.changes", { n: waiting })}</button>}
        <div role="list" aria-label={t("sessions")} aria-busy={!isLoaded}>
          {groupNames.map((name) => (
            <Group key={name} name={name} entries={shown.filter((entry) => entry.group === name)}
              first={isWhole ? Infinity : firstOf[name] ?? Infinity} selected={selected} isCompact={isCompact} />
          ))}
        </div>
        {hidden > 0 && (
          <button type="button" className="quiet extra" onClick={() => setWhole(true)}>
            {t("more.sessions", { n: hidden })}
          </button>
        )}
        {shown.some((entry) => entry.group === "done") && (
          <button type="button" className="quiet extra" onClick={() => {
            lookedAtAll()
            apply()
          }}>{t("done.seen")}</button>
        )}
        {isLoaded && wanted.length === 0 && <p className="empty soft">{t("filter.none")}</p>}
      </div>
    </>
  )
}

/** A held session stays in its group and keeps the cards that it has; what these say is new. */
const steady = {
  keyOf: (entry: Entry) => entry.session.id,
  formOf: (entry: Entry) => [entry.group, ...entry.prompts.map((prompt) => prompt.id)].join(" "),
  blend: (held: Entry, fresh: Entry | undefined): Entry => ({
    session: fresh?.session ?? held.session,
    group: held.group,
    prompts: held.prompts.map((prompt) => fresh?.prompts.find((one) => one.id === prompt.id) ?? prompt),
  }),
}

interface GroupProps {
  name: GroupName
  entries: Entry[]
  /** How many of them are shown. */
  first: number
  selected: string | undefined
  isCompact: boolean
}

function Group({ name, entries, first, selected, isCompact }: GroupProps) {
  if (entries.length === 0) return null
  return (
    <Fragment>
      <div className="group">
        <span>{named("group", name)}</span>
        <span className="num">{entries.length}</span>
      </div>
      <div className={"list " + name}>
        {entries.slice(0, first).map((entry) => (
          <SessionItem key={entry.session.id} entry={entry} isSelected={entry.session.id === selected}
            isCompact={isCompact} />
        ))}
      </div>
    </Fragment>
  )
}
