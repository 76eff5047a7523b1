import { useMemo, type ReactNode } from "react"
import type { Completeness, Session } from "../api/types"
import { modelName } from "../lib/names"
import { spent, unpricedNote } from "../lib/spent"
import { useStore } from "../lib/store"
import { withoutHidden } from "../lib/visible"
import { compact, dateAndTime, money, now, number, percent, secondsSince, shortAge } from "../lib/time"
import { LastActive } from "../parts/Age"
import { Plain } from "../parts/Plain"
import { Bars } from "../figures/Bars"
import { ChartCard } from "../figures/ChartCard"
import { filePath, type Item } from "../timeline/model"
import { changeCounts } from "../timeline/tools"
import type { TimelineSource } from "../timeline/source"
import { named, t } from "../words/words"
import { branchOf } from "../state/names"
import { carried, type Context, type Request } from "./session/requests"

interface Props {
  session: Session
  source: TimelineSource | null
  requests: Request[]
  context: Context | null
  onClose: () => void
}

/** What is known about a session beside its events. */
export function Inspector({ session, source, requests, context, onClose }: Props) {
  const at = useStore(now)
  const usage = session.token_usage ?? {}
  const turns = useMemo(() => turnsOf(requests), [requests])
  const inspected = session.completeness
  return (
    <>
      <button type="button" className="quiet close" onClick={onClose}>{t("close")}</button>
      <Section title={t("usage")}>
        {isUncounted(session) && <p className="small soft">{t("usage.none")}</p>}
        <Facts facts={isUncounted(session) ? [] : [
          [t("cost"), costOf(session)],
          [t("usage.source"), named("usage.by", session.usage_source)],
          [t("usage.difference"), session.usage_difference ? percent(Math.abs(session.usage_difference)) : ""],
          [t("tokens.in.short"), number(usage.input_tokens ?? 0)],
          [t("tokens.cached"), number(usage.cache_read_tokens ?? 0)],
          [t("tokens.written"), number(usage.cache_creation_tokens ?? 0)],
          [t("tokens.out"), number(usage.output_tokens ?? 0)],
          [t("context"), contextText(context)],
        ]} />
        {boundOf(session) && <p className="small soft">{boundOf(session)}</p>}
        <Facts facts={[
          [t("messages"), number(session.message_count ?? 0)],
          [t("toolCalls"), number(session.tool_call_count ?? 0)],
          [t("since"), shortAge(secondsSince(session.started_at, Math.min(at, Date.parse(session.ended_at ?? "") || at)))],
        ]} />
      </Section>
      {turns.length > 1 && <Turns title={t("cost.turns")} column={t("cost")} values={turns.map((turn) => turn.cost)} format={money} />}
      {turns.length > 1 && <Turns title={t("context.turns")} column={t("context")} values={turns.map((turn) => turn.context)} format={compact} />}
      {source && <Files source={source} />}
      <Section title={t("state")}>
        <p className="small">
          {named("state", session.state)}{session.state_source ? t("state.by", { source: named("source", session.state_source) }) : ""},{" "}
          <LastActive session={session} />
        </p>
        {session.end_reason && <p className="small soft">{t("ended.by")} <Plain text={named("end", session.end_reason)} /></p>}
        {session.background && <p className="small">{t("background", { n: session.background.agents })}</p>}
        {session.stuck && (
          <p className="small fault">
            {t("stuck")}: <Plain text={t("stuck.short", { tool: session.stuck.tool_name ?? "", n: session.stuck.count })} />
          </p>
        )}
      </Section>
      <Section title={t("completeness")}>
        <p className={inspected?.state === "missing" ? "small fault" : "small"}>{completenessOf(inspected)}</p>
      </Section>
      <Section title={t("where")}>
        <Facts facts={[
          [t("by.machine"), withoutHidden(session.machine_name ?? session.machine_id)],
          [t("branch"), withoutHidden(branchOf(session) ?? "")],
          [t("by.model"), withoutHidden(modelName(session.current_model ?? ""))],
        ]} />
        <p className="small wrap"><Plain text={session.project_path ?? ""} /></p>
        <p className="small soft wrap mono"><Plain text={session.id} /></p>
      </Section>
    </>
  )
}

function Section({ title, children }: { title: string; children?: ReactNode }) {
  return <section><h2 className="small soft">{title}</h2>{children}</section>
}

function Facts({ facts }: { facts: [string, string][] }) {
  return <dl className="kv">{facts.filter(([, value]) => value).map(([name, value]) => [
    <dt key={name}>{name}</dt>, <dd key={name + " "}>{value}</dd>])}</dl>
}

/** Whether all events of the session are here. */
function completenessOf(found: Completeness | undefined): string {
  if (!found || found.state === "unknown") return t("completeness.uncounted")
  const counts = [
    found.recovered ? t("recovered", { n: number(found.recovered) }) : "",
    found.missing ? t("missing", { n: number(found.missing) }) : "",
  ]
  return [t("completeness.events", { state: named("completeness", found.state) }), ...counts].filter(Boolean).join(", ")
}

/** Whether nothing has told tokens or cost yet. */
function isUncounted(session: Session): boolean {
  return !session.total_cost && !Object.values(session.token_usage ?? {}).some(Boolean)
}

/** What is known so far may be less than what was spent. */
function costOf(session: Session): string {
  const cost = money(spent(session))
  if (session.usage_confidence === "lower_bound") return "≥ " + cost
  return session.usage_confidence === "estimated" ? "≈ " + cost : cost
}

function boundOf(session: Session): string {
  if (isUncounted(session)) return ""
  if (session.unpriced?.requests) return unpricedNote(session.unpriced)
  if (session.usage_confidence === "lower_bound") return t("usage.lowerBound")
  return session.usage_confidence === "estimated" ? t("usage.estimated") : ""
}

function contextText(context: Context | null): string {
  if (!context) return ""
  const used = compact(context.used)
  return context.limit === undefined ? used : `${used} · ${t("context.left", { share: percent(Math.max(0, 1 - context.used / context.limit)) })}`
}

interface Turn {
  cost: number
  /** The most that a request of the session itself carried. */
  context: number
}

const shownTurns = 24

function turnsOf(requests: Request[]): Turn[] {
  const turns = new Map<string, Turn>()
  requests.forEach((request, index) => {
    const key = request.turn_id ?? String(index)
    const turn = turns.get(key) ?? { cost: 0, context: 0 }
    turn.cost += request.cost ?? 0
    if (!request.agent_id) turn.context = Math.max(turn.context, carried(request))
    turns.set(key, turn)
  })
  return [...turns.values()]
}

interface TurnsProps {
  title: string
  column: string
  values: number[]
  format: (value: number) => string
}

/** The latest turns as bars, all of them in the table. */
function Turns({ title, column, values, format }: TurnsProps) {
  const last = values[values.length - 1]
  const bars = values.map((value, index) => ({ name: String(index + 1), value })).slice(-shownTurns)
  return (
    <ChartCard title={title} columns={[t("turn"), column]} rows={values.map((value, index) => [String(index + 1), value])}
      formats={[String, format]}>
      <Bars label={title} values={bars} format={format} height={48} />
      {last !== undefined && <p className="small soft num">{t("turns.last", { value: format(last) })}</p>}
    </ChartCard>
  )
}

/** The files that were changed, in the part of the timeline that is loaded. */
function Files({ source }: { source: TimelineSource }) {
  const { items, hasOlder, hasNewer } = useStore(source.state)
  const files = useMemo(() => changedFiles(items), [items])
  if (files.length === 0) return null
  return (
    <Section title={t("files")}>
      <dl className="kv">
        {files.map(([path, added, removed]) => [
          <dt key={path} className="mono clip" title={path}><Plain text={path.split("/").slice(-2).join("/")} /></dt>,
          <dd key={path + " "}>
            {added > 0 && <span className="plus">+{added} </span>}{removed > 0 && <span className="minus">−{removed}</span>}
          </dd>,
        ])}
      </dl>
      {(hasOlder || hasNewer) && items[0] && (
        <p className="small soft">{t(hasNewer ? "files.part" : "files.since", { time: dateAndTime(items[0].at) })}</p>
      )}
    </Section>
  )
}

function changedFiles(items: readonly Item[]): [string, number, number][] {
  const sums = new Map<string, [number, number]>()
  for (const item of items) {
    const path = filePath(item)
    if (!path || item.kind !== "tool" || item.state !== "done") continue
    const counts = changeCounts(item)
    if (!counts) continue
    const [added, removed] = sums.get(path) ?? [0, 0]
    sums.set(path, [added + counts.added, removed + counts.removed])
  }
  return [...sums].map(([path, [added, removed]]) => [path, added, removed])
}
