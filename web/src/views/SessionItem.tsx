import { memo, type ReactElement } from "react"
import type { Activity } from "../state/activity"
import type { Entry } from "../state/groups"
import { hasFailed, markOf } from "../state/groups"
import { placeOf, sessionName } from "../state/names"
import { rates } from "../state/rates"
import { activities } from "../state/activities"
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
            {session.pinned && <span className="pin" aria-hidden="true" />}
            <Plain text={oneLine(sessionName(session), 200)} />
            <Agents id={session.id} />
            <span className="hear">, {named("group", group)}{session.pinned && `, ${t("pinned")}`}</span>
          </span>
          <span className="soft num small">
            {session.stuck && <span className="tag bad">{t("stuck")}</span>}{trailing(entry)}
          </span>
          <span className="where clip"><Plain text={placeOf(session)} /></span>
          <What entry={entry} />
        </a>
      )}
      {inbox && cards.map((prompt) => (
        <PromptCard key={prompt.id} prompt={prompt} session={session} isInside={hasRow} keepsPlace={entry.keeps?.includes(prompt.id)}
          isPlaced={group === "needs" && prompt.id === inbox.opened}
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

/** What it does, waits for, or did last; nothing where that says no more than its name. */
function What({ entry }: { entry: Entry }) {
  const told = useWhat(entry)
  return told && <span className="what clip">{told}</span>
}

function useWhat({ session, group, prompts, notice }: Entry): ReactElement | null {
  const activity = useSelected(activities, (all) => all.get(session.id))
  const isFailed = hasFailed({ session, group, prompts })
  if (group === "needs" && !isFailed) {
    const prompt = prompts[0]
    const text = prompt ? promptName(prompt) : notice || waitingName(session.waiting_for?.tool_name) || named("state", "waiting")
    return <Plain text={oneLine(text, 200)} />
  }
  if (session.stuck) {
    return <><Plain text={t("stuck.short", { tool: session.stuck.tool_name ?? "", n: session.stuck.count })} /> · <Running since={session.stuck.since} /></>
  }
  if (session.background) {
    return <>{t("background", { n: session.background.agents })} · <Running since={session.background.since} /></>
  }
  const text = oneLine(activity?.text ?? "", 200)
  if (group === "working" && activity?.kind === "tool") {
    return <><Plain text={toolOf(activity)} /> <code><Plain text={text} /></code>{activity.tool !== undefined && <> · <Running since={activity.at} /></>}</>
  }
  if (activity?.kind === "error" && text) return <>{t("stopped")} <Plain text={named("stop", text)} /></>
  if (activity?.kind === "text" && text) return <>“<Plain text={text} />”</>
  return activity?.kind === "prompt" && text && text !== oneLine(sessionName(session), 200) ? <Plain text={text} /> : null
}

function toolOf(activity: Activity): string {
  const tool = activity.tool ?? activity.lastTool
  return tool ? waitingName(tool) : ""
}
