import { Fragment } from "react"
import type { Entry, GroupName } from "../state/groups"
import { named } from "../words/words"
import { SessionItem } from "./SessionItem"
import type { Inbox } from "./useInbox"

interface Props {
  name: GroupName
  entries: Entry[]
  /** How many there are by the newest state. */
  count: number
  /** How many of them are shown. */
  first: number
  selected: string | undefined
  /** `null`: without cards, in the narrow list beside a session. */
  inbox: Inbox | null
  onSeen: () => void
}

/** Sessions with the same need, under its name. */
export function Group({ name, entries, count, first, selected, inbox, onSeen }: Props) {
  if (entries.length === 0) return null
  return (
    <Fragment>
      <div className="group">
        <span>{named("group", name)}</span>
        <span className="num">{count}</span>
      </div>
      <div className={"list " + name}>
        {entries.slice(0, first).map((entry, index) => (
          <SessionItem key={entry.session.id} entry={entry} isSelected={entry.session.id === selected} inbox={inbox}
            onSeen={name === "done" && index === 0 ? onSeen : undefined} />
        ))}
      </div>
    </Fragment>
  )
}
