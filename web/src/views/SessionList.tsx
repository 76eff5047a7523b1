import { useEffect, useMemo, useState } from "react"
import { given, isGiven, type GivenMap } from "../state/given"
import { beyond, counts } from "../state/counts"
import { entries, groupNames, inOrder, type Entry, type GroupName } from "../state/groups"
import { textsOf } from "../state/names"
import { machines } from "../state/machines"
import { isMine, needsAnswer, prompts } from "../state/prompts"
import { lookedAtAll, seen } from "../state/seen"
import { sessions, sessionsLoaded } from "../state/sessions"
import { useSelected, useStore } from "../lib/store"
import { now, number } from "../lib/time"
import { useSteady } from "../lib/steady"
import { pending } from "../state/pending"
import { t } from "../words/words"
import { Filters, matches } from "./Filters"
import { hashOf, type Filter } from "./filter"
import { FirstSteps } from "./FirstSteps"
import { Group } from "./Group"
import { Known } from "./Known"
import { Pager } from "./Pager"
import { useFilter, usePlace } from "./place"
import { noQuery, tableHash } from "./query"
import { useInbox } from "./useInbox"

/** Groups of which only the first are shown at once. */
const firstOf: Partial<Record<GroupName, number>> = { idle: 30, ended: 15 }

interface Props {
  selected?: string
  isCompact: boolean
  /** Beside a view with a field of its own there is none. */
  hasFilter: boolean
}

/** All sessions of all machines in one list, by what they need. */
export function SessionList({ selected, isCompact, hasFilter }: Props) {
  const all = useStore(sessions)
  const open = useStore(prompts)
  const looked = useStore(seen)
  const answers = useStore(given)
  const isLoaded = useStore(sessionsLoaded)
  const clocks = useStore(machines)
  const [filter, setFilter] = useFilter(!isCompact)
  const minute = useSelected(now, (at) => Math.floor(at / 60_000))
  const wanted = useMemo(() => {
    const found = entries(all, open, looked).filter(({ session, group, prompts: own }) =>
      (!session.archived || own.some(needsAnswer)) && (!filter.state || filter.state === group)
        && matches(filter, textsOf(session), session.machine_name ?? session.machine_id, session.workspace_id ?? ""))
    return groupNames.flatMap((name) => found.filter((entry) => entry.group === name).sort(inOrder))
  }, [all, open, looked, clocks, filter, minute])
  const { shown, waiting, apply, area } = useSteady(wanted, steady)
  // What a person asks for is shown at once, wherever the pointer is.
  useEffect(apply, [filter])
  useEffect(() => {
    pending.set(waiting > 0 ? { count: waiting, apply } : null)
    return () => pending.set(null)
  }, [waiting])
  const inbox = useInbox(shown.filter((entry) => entry.group === "needs"), !isCompact)
  usePlace(!isCompact && isLoaded)
  const [isWhole, setWhole] = useState(false)
  const [isFiltered, unlisted] = [hashOf(filter) !== "#/", beyond(useStore(counts), all.values())]
  const hidden = isWhole ? 0 : groupNames.reduce((sum, name) =>
    sum + Math.max(0, shown.filter((entry) => entry.group === name).length - (firstOf[name] ?? Infinity)), 0)
  if (isLoaded && all.size === 0) return isCompact ? null : <FirstSteps />
  const markSeen = () => {
    lookedAtAll()
    apply()
  }
  const countOf = (name: GroupName) => wanted.filter((entry) => entry.group === name && !isAnsweredHere(entry, answers)).length
    + (!isFiltered && (name === "ended" || name === "idle") ? unlisted[name] : 0)
  return (
    <>
      {hasFilter && (all.size > 3 || isFiltered) && <Filters filter={filter} sessions={all} isShort={isCompact} onChange={setFilter} />}
      <Known />
      <div className={isLoaded ? "sessions" : "sessions old"} {...area}>
        {!isCompact && inbox.count > 1 && <Pager inbox={inbox} />}
        <div role="list" aria-label={t("sessions")} aria-busy={!isLoaded}>
          {groupNames.map((name) => (
            <Group key={name} name={name} entries={shown.filter((entry) => entry.group === name)} count={countOf(name)}
              first={isWhole ? Infinity : firstOf[name] ?? Infinity} selected={selected} inbox={isCompact ? null : inbox} onSeen={markSeen} />
          ))}
        </div>
        {hidden > 0 && (
          <button type="button" className="quiet extra" onClick={() => setWhole(true)}>
            {t("more.sessions", { n: hidden })}
          </button>
        )}
        {isLoaded && wanted.length === 0 && shown.length === 0 && <p className="empty soft">{t("filter.none")}</p>}
        {(unlisted.ended + unlisted.idle > 0 || !isCompact) && <Beyond filter={filter} isFiltered={isFiltered} count={all.size} />}
      </div>
    </>
  )
}

/** The way to those that the list does not hold; on a phone, whose navigation has no room for it, to all. */
function Beyond({ filter, isFiltered, count }: { filter: Filter; isFiltered: boolean; count: number }) {
  const all = useStore(counts)?.all ?? count
  const query = tableHash({ ...noQuery, text: filter.text, machine: filter.machine, project: filter.project })
  return <a className={all > count ? "extra link" : "extra link narrow"} href={query}>{isFiltered ? t("list.look") : t("list.allOf", { n: number(all) })}</a>
}

/** Whether this page has an answer for all that the session asks. */
function isAnsweredHere(entry: Entry, answers: GivenMap): boolean {
  const asked = entry.prompts.filter(needsAnswer)
  return asked.length > 0 && asked.every((prompt) => isGiven(answers, prompt.id))
}

/** A held session stays in its group and keeps the cards that it has; what these say is new. */
const steady = {
  keyOf: (entry: Entry) => entry.session.id,
  formOf: (entry: Entry) => [entry.group, ...entry.prompts.map((prompt) => `${prompt.id} ${prompt.state === "open"}`)].join(" "),
  blend: (held: Entry, fresh: Entry | undefined): Entry => {
    const known = prompts.get()
    const own = held.prompts.map((prompt) => fresh?.prompts.find((one) => one.id === prompt.id) ?? known.get(prompt.id) ?? prompt)
    return {
      session: fresh?.session ?? held.session,
      group: held.group,
      prompts: own,
      notice: held.notice,
      keeps: held.prompts.filter((prompt, index) => prompt.state === "open" && own[index]?.state !== "open").map((prompt) => prompt.id),
    }
  },
  /** The person has answered it here, and nothing else has become of the session that needs them. */
  isOwn: (held: Entry, fresh: Entry | undefined) => {
    const asked = held.prompts.filter(needsAnswer)
    if (asked.length === 0 || fresh?.prompts.some((prompt) => needsAnswer(prompt) && !held.prompts.some((one) => one.id === prompt.id))) return false
    const over = asked.filter((prompt) => prompts.get().get(prompt.id)?.state !== "open")
    return over.length > 0 && over.every((prompt) => isMine(prompts.get().get(prompt.id)))
  },
}
