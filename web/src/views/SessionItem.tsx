import { memo } from "react"
import type { Entry } from "../state/groups"
import { hasFailed, markOf, sessionName } from "../state/groups"
import { rates } from "../state/rates"
import { activities } from "../state/sessions"
import type { Session } from "../api/types"
import { spent } from "../lib/spent"
import { useSelected } from "../lib/store"
import { compact, money } from "../lib/time"
import { oneLine } from "../lib/visible"
import { sessionLink } from "../lib/route"
import { LastActive, Running } from "../parts/Age"
import { Mark } from "../parts/Mark"
import { Plain } from "../parts/Plain"
import { PromptCard } from "../prompts/PromptCard"
import { promptName, waitingName } from "../prompts/describe"
import { named, t } from "../words/words"
import { Retry } from "./Retry"
import type { Inbox } from "./useInbox"

interface Props {
  entry: Entry
  isSelected: boolean
  /** Which prompt is open; `null`: without the cards of prompts, in the narrow list beside a session. */
  inbox: Inbox | null
  /** On the first of a group: says that the person has seen all of them. It stands beside the group's name; a list takes no buttons. */
  onSeen?: () => void
}

/** A session in the list. One that waits shows what it waits for. It is drawn again only when something of it is another. */
export const SessionItem = memo(Item, (one: Props, other: Props) =>
  one.entry.session === other.entry.session && one.entry.group === other.entry.group && one.isSelected === other.isSelected
  && one.entry.notice === other.entry.notice && one.entry.prompts.length === 0 && other.entry.prompts.length === 0
  && (one.inbox === null) === (other.inbox === null) && Boolean(one.onSeen) === Boolean(other.onSeen))

function Item({ entry, isSelected, inbox, onSeen }: Props) {
  const { session, prompts, group } = entry
  const cards = inbox === null ? [] : prompts
  const hasRow = cards.length === 0 || group !== "needs"
  return (
    <div role="listitem" className={hasRow ? "entry" : "entry cards"} data-session={session.id}>
      {hasRow && (
        <a className={isSelected ? "item sel" : "item"} href={sessionLink(session.id)}
          aria-current={isSelected ? "page" : undefined}>
          <Mark kind={markOf(entry)} />
          <span className="name clip">
            <Plain text={sessionName(session)} />
            <Agents id={session.id} />
            <span className="hear">, {named("group", group)}</span>
          </span>
          <span className="soft num small">
            {session.stuck && <span className="tag bad">{t("stuck")}</span>}{trailing(entry)}
          </span>
          <span className="what clip"><What entry={entry} /></span>
        </a>
      )}
      {inbox && cards.map((prompt) => (
        <PromptCard key={prompt.id} prompt={prompt} session={session} isInside={hasRow} keepsPlace={entry.keeps?.includes(prompt.id)}
          onShow={group === "needs" && prompt.id !== inbox.opened ? () => inbox.show(prompt.id) : undefined}
          onStep={inbox.count > 1 ? inbox.step : undefined}
          onNext={prompt.id === inbox.opened && inbox.count > 0 ? () => inbox.step(1) : undefined} />
      ))}
      {onSeen && <button type="button" className="quiet beside" onClick={onSeen}>{t("done.seen")}</button>}
      {inbox && hasFailed(entry) && <Retry session={session} />}
    </div>
  )
}

function Agents({ id }: { id: string }) {
  const count = useSelected(activities, (all) => all.get(id)?.agents ?? 0)
  return count > 0 ? <span className="faint"> {t("agents", { n: count })}</span> : null
}

/** What a session has cost, and how fast it uses tokens at the moment. */
function Spending({ session }: { session: Session }) {
  const rate = useSelected(rates, (all) => all.get(session.id) ?? 0)
  return (
    <>
      {rate > 0 && !session.stuck && <span className="faint rate" title={t("rate.title")}>{t("rate", { n: compact(rate) })} </span>}
      {session.total_cost !== undefined && money(spent(session))}
    </>
  )
}

function trailing(entry: Entry) {
  const { session, group, prompts } = entry
  if (hasFailed(entry)) return <LastActive session={session} />
  if (group === "needs") return <Running since={prompts[0]?.opened_at ?? session.waiting_for?.since} />
  if (group === "working") return <Spending session={session} />
  return <LastActive session={session} />
}

/** What it does or did last. */
function What({ entry }: { entry: Entry }) {
  const { session, group, prompts } = entry
  const activity = useSelected(activities, (all) => all.get(session.id))
  const where = <span className="faint"><Plain text={session.machine_name ?? session.machine_id} /></span>
  if (group === "needs" && !hasFailed(entry)) {
    const prompt = prompts[0]
    const text = prompt ? promptName(prompt) : entry.notice || waitingName(session.waiting_for?.tool_name) || named("state", "waiting")
    return <><Plain text={oneLine(text, 200)} /> · {where}</>
  }
  if (session.stuck) {
    return <><Plain text={t("stuck.short", { tool: session.stuck.tool_name ?? "", n: session.stuck.count })} /> · <Running since={session.stuck.since} /> · {where}</>
  }
  if (session.background) {
    return <>{t("background", { n: session.background.agents })} · <Running since={session.background.since} /> · {where}</>
  }
  if (group === "working" && activity?.tool !== undefined) {
    return <><Plain text={activity.tool} /> <code><Plain text={oneLine(activity.text, 200)} /></code> · <Running since={activity.at} /></>
  }
  if (activity?.kind === "text" && activity.text) return <>“<Plain text={oneLine(activity.text, 200)} />” · {where}</>
  if (activity?.kind === "error") return <>{t("stopped")} <Plain text={named("stop", oneLine(activity.text, 200))} /> · {where}</>
  const isNamed = session.title && session.title_source !== "directory"
  const title = isNamed ? <Plain text={oneLine(session.title ?? "", 200)} /> : named("state", session.state)
  return <>{title} · {where}</>
}
