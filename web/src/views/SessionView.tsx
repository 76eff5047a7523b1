import { useEffect, useLayoutEffect, useMemo, useState } from "react"
import type { Prompt, Session } from "../api/types"
import { useSteady } from "../lib/steady"
import { useStore } from "../lib/store"
import { go } from "../lib/route"
import { useKeys } from "../lib/keys"
import { useLoaded } from "../lib/load"
import { Ago } from "../parts/Age"
import { Mark } from "../parts/Mark"
import { Empty, Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { PromptCard } from "../prompts/PromptCard"
import { sessionName } from "../state/names"
import { isMine, prompts } from "../state/prompts"
import { lookedAt, looksAt } from "../state/seen"
import { loadFault, putSession, readSession, sessions, sessionsLoaded } from "../state/sessions"
import { useTitle } from "../state/title"
import { TimelineSource } from "../timeline/source"
import type { Target } from "../timeline/model"
import { Timeline } from "../timeline/Timeline"
import { Passage } from "../drive/Passage"
import { Writing } from "../drive/Writing"
import { OpenTerminal } from "../terminal/TerminalButton"
import type { Jump } from "../timeline/useJumps"
import { connection, tell } from "../live/live"
import type { ApiError } from "../api/errors"
import { t } from "../words/words"
import { Inspector } from "./Inspector"
import { MessageBox } from "./MessageBox"
import { homeHash, leaveSession } from "./place"
import { Heading } from "./session/Heading"
import { useContextOf, useRequests } from "./session/requests"
import { isLogAsked } from "./session/view"

/** One session, and beside it what is known about it. */
export function SessionView(place: Place) {
  const [isInspecting, setInspecting] = useState(false)
  // Each session has its own: nothing that was begun in one may end in another.
  return <div className="desk"><Opened key={place.id} {...place} isInspecting={isInspecting} onInspect={setInspecting} /></div>
}

interface Place {
  id: string
  promptID?: string
  at?: number
}

interface OpenedProps extends Place {
  isInspecting: boolean
  onInspect: (is: boolean) => void
}

function Opened({ id, promptID, at, isInspecting, onInspect }: OpenedProps) {
  const { session, isAbsent, error, again } = useSession(id)
  const own = useOwnPrompts(id)
  const source = useSource(id, at)
  const [jump, setJump] = useState<(Jump & { source: TimelineSource | null }) | null>(null)
  const jumpTo = (target: Target, step: 1 | -1 = -1) => setJump({ target, step, source })
  const toggle = () => onInspect(!isInspecting)
  const requests = useRequests(id)
  const context = useContextOf(session, requests)
  usePresence(session)
  useEffect(() => {
    if (promptID) document.getElementById(promptID)?.scrollIntoView({ block: "center" })
  }, [promptID, own.length])
  useKeys({
    Escape: () => go(homeHash.get()),
    e: () => jumpTo("error"),
    p: () => jumpTo("you"),
    f: () => jumpTo("file"),
    E: () => jumpTo("error", 1),
    P: () => jumpTo("you", 1),
    F: () => jumpTo("file", 1),
    i: toggle,
  })
  return (
    <>
      <main className="session">
        {!session && isAbsent ? <Empty><h1>{t("session.none")}</h1><a href="#/">{t("back")}</a></Empty> : (
          <>
            <Heading session={session} id={id} source={source} context={context} onJump={jumpTo} onInspect={toggle} isInspecting={isInspecting} />
            {!session && <Fault what={t("unread.session")} error={error} again={again} />}
            {session?.stuck && <Stuck stuck={session.stuck} onJump={() => jumpTo("error")} />}
            {source && <Timeline source={source} jump={jump?.source === source ? jump : null} at={at} isLog={isLogAsked()} root={session?.project_path} />}
            {session?.runner === "agent" && <Writing session={id} />}
            <OwnPrompts prompts={own} session={session} />
            {session && <Passage session={session} />}
            {session && <MessageBox key={session.id} session={session} />}
          </>
        )}
      </main>
      {session?.runner === "terminal" && <OpenTerminal session={session} />}
      <aside className={isInspecting ? "inspector open" : "inspector"} aria-label={t("inspector")}>
        {session && <Inspector session={session} source={source} requests={requests} context={context} onClose={() => onInspect(false)} />}
      </aside>
    </>
  )
}

/** The newest is last, so that none moves another; those that are over stay as long as a person works beside them. */
function OwnPrompts({ prompts: own, session }: { prompts: Prompt[]; session: Session | undefined }) {
  const { shown, held, waiting, apply, area } = useSteady(own, inPlace)
  const wasOpen = new Set(held.filter((prompt) => prompt.state === "open").map((prompt) => prompt.id))
  return (
    <div className={shown.length === 0 ? "prompts none" : shown.length === 1 ? "prompts one" : "prompts"} {...area}>
      {waiting > 0 && <button type="button" className="waiting" onClick={apply}>{t("list.changes", { n: waiting })}</button>}
      {shown.map((prompt) => (
        <PromptCard key={prompt.id} prompt={prompt} session={session} isInside isAlone={shown.length === 1}
          keepsPlace={wasOpen.has(prompt.id)} />
      ))}
    </div>
  )
}

const inPlace = {
  keyOf: (prompt: Prompt) => prompt.id,
  formOf: (prompt: Prompt) => prompt.state === "open" ? "open" : "over",
  isOwn: (held: Prompt) => isMine(prompts.get().get(held.id)),
}

/** The same call failed several times in a row: where to look, before the session is told something else. */
function Stuck({ stuck, onJump }: { stuck: NonNullable<Session["stuck"]>; onJump: () => void }) {
  return (
    <div className="stuck row" role="status">
      <Mark kind="bad" />
      <p className="grow small">
        <b>{t("stuck")}:</b> <Plain text={t(stuck.agent_id ? "stuck.agent" : "stuck.long", { tool: stuck.tool_name ?? "", n: stuck.count })} />{" "}
        <span className="soft"><Ago time={stuck.since} /></span>
      </p>
      <button type="button" className="quiet" onClick={onJump}>{t("stuck.show")}</button>
    </div>
  )
}

interface Found {
  session: Session | undefined
  /** The server has said that there is none. */
  isAbsent: boolean
  error: ApiError | null
  again: () => void
}

/** A session that is not in the list, since the list holds the latest only, is read by itself. */
function useSession(id: string): Found {
  const all = useStore(sessions)
  const isLoaded = useStore(sessionsLoaded)
  const hasFailed = useStore(loadFault) !== null
  const session = all.get(id)
  // Not every change is told by an event: whether the machine takes messages is not.
  const isReady = isLoaded || hasFailed
  const { value, error, again } = useLoaded(async () => {
    const found = isReady ? await readSession(id) : null
    if (found) putSession(found)
    return { isAbsent: isReady && !found }
  }, [id, isReady])
  useEffect(() => {
    lookedAt(id)
    return () => lookedAt(id)
  }, [id])
  // Before the list is shown, which puts the focus on it.
  useLayoutEffect(() => () => leaveSession(id), [id])
  useEffect(() => looksAt(id), [id, session?.last_seq])
  useTitle(session ? sessionName(session) : "")
  return { session, isAbsent: value?.isAbsent === true, error, again }
}

function useOwnPrompts(id: string): Prompt[] {
  const all = useStore(prompts)
  return useMemo(() => [...all.values()].filter((prompt) => prompt.session_id === id && prompt.kind !== "input")
    .sort((one, other) => one.opened_at.localeCompare(other.opened_at)), [all, id])
}

/** The timeline from an event on; `null` until it is opened, so that each view of a timeline has one source. */
function useSource(id: string, at: number | undefined): TimelineSource | null {
  const [opened, setOpened] = useState<{ source: TimelineSource; at: number | undefined } | null>(null)
  useEffect(() => {
    const source = new TimelineSource(id, at)
    setOpened({ source, at })
    return () => source.close()
  }, [id, at])
  return opened?.at === at ? opened?.source ?? null : null
}

/** Tells the server that a person looks at the session: it pushes nothing about it, and tells others who look at it. */
function usePresence(session: Session | undefined): void {
  const id = session?.id
  const workspace = session?.workspace_id
  useEffect(() => {
    if (!id || !workspace) return
    const say = () => {
      if (connection.get() !== "open" || document.visibilityState === "hidden") return
      tell("client/session/focus", { workspace_id: workspace, session_id: id })
    }
    say()
    const stop = connection.watch(say)
    document.addEventListener("visibilitychange", say)
    return () => {
      stop()
      document.removeEventListener("visibilitychange", say)
      tell("client/session/unfocus", {})
    }
  }, [id, workspace])
}
