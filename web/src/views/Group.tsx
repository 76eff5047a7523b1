import { Fragment } from "react"
import type { Entry, GroupName } from "../state/groups"
import { named, t } from "../words/words"
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
  const isPaged = name === "needs" && inbox !== null && inbox.count > 1
  return (
    <Fragment>
      <div className="group">
        <span>{named("group", name)}</span>
        <span className="grow" />
        {isPaged && (
          <span className="pager">
            <button type="button" className="quiet" aria-label={t("prompt.previous")} title={t("prompt.previous")} onClick={() => inbox.step(-1)}>
              <span aria-hidden="true">‹</span>
            </button>
            {inbox.place > 0 && <span className="num">{t("prompt.place", { n: inbox.place, of: inbox.count })}</span>}
            <button type="button" className="quiet" aria-label={t("prompt.nextOne")} title={t("prompt.nextOne")} onClick={() => inbox.step(1)}>
              <span aria-hidden="true">›</span>
            </button>
          </span>
        )}
        {name === "done" && <button type="button" className="quiet" onClick={onSeen}>{t("done.seen")}</button>}
        <span className="num">{count}</span>
      </div>
      <div className={"list " + name}>
        {entries.slice(0, first).map((entry) => (
          <SessionItem key={entry.session.id} entry={entry} isSelected={entry.session.id === selected} inbox={inbox} />
        ))}
      </div>
    </Fragment>
  )
}
