import { useMemo } from "react"
import type { Session } from "../../api/types"
import { modelName } from "../../lib/names"
import { useStore } from "../../lib/store"
import { visibleText } from "../../lib/visible"
import { Mark } from "../../parts/Mark"
import { Plain } from "../../parts/Plain"
import { entries, markOf } from "../../state/groups"
import { placeOf, sessionName } from "../../state/names"
import { prompts } from "../../state/prompts"
import { seen } from "../../state/seen"
import type { Target } from "../../timeline/model"
import type { TimelineSource } from "../../timeline/source"
import { doneOf, tasksOf } from "../../timeline/tasks"
import { connection, viewers } from "../../live/live"
import { named, t } from "../../words/words"
import { Drive } from "../../drive/Drive"
import { TerminalButton } from "../../terminal/TerminalButton"
import { Interrupt } from "../Interrupt"
import { homeHash } from "../place"
import { SessionMenu } from "../SessionMenu"
import { ContextRing } from "./ContextRing"
import type { Context } from "./requests"
import { isLogAsked, showView } from "./view"
import { WorkspaceLinks } from "./WorkspaceLinks"

interface Props {
  session: Session | undefined
  id: string
  source: TimelineSource | null
  context: Context | null
  onJump: (target: Target, step: 1 | -1) => void
  onInspect: () => void
  isInspecting: boolean
}

/** The name of the session with what it is and how far; below it where it is. */
export function Heading({ session, id, source, context, onJump, onInspect, isInspecting }: Props) {
  const looked = useStore(seen)
  const home = useStore(homeHash)
  const entry = session && entries(new Map([[id, session]]), prompts.get(), looked)[0]
  return (
    <header className="head">
      <div className="bar">
        <a className="back" href={home} aria-label={t("back")}><span aria-hidden="true">‹</span></a>
        {entry && <Mark kind={markOf(entry)} />}
        {entry && <span className="hear">{named("group", entry.group)}</span>}
        <div className="about">
          <h1 title={session && visibleText(sessionName(session))}><Plain text={session ? sessionName(session) : id} /></h1>
          {session && <Facts session={session} />}
        </div>
        <SessionMenu id={id} onJump={onJump} />
        <button type="button" className="quiet inspect" aria-expanded={isInspecting} onClick={onInspect}>
          <span className="word">{t("details")}</span>
          <svg className="sign-of" viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" strokeWidth="1.6" aria-hidden="true"><circle cx="10" cy="10" r="7.5" /><path d="M10 9v5M10 6v.5" /></svg>
        </button>
      </div>
      <div className="chips">
        {source && <Tasks session={session} source={source} />}
        {context && <ContextRing context={context} />}
        {entry?.group === "working" && session && <Interrupt session={session} />}
        {session && <WorkspaceLinks session={session} />}
        {session?.runner === "terminal" && <TerminalButton session={session} />}
        {(session?.runner === "agent" || session?.runner === "terminal") && <Drive session={session} />}
        <Others id={id} />
        <Views />
      </div>
    </header>
  )
}

function Facts({ session }: { session: Session }) {
  const facts = [
    placeOf(session), session.current_model && modelName(session.current_model),
    session.completeness?.state === "complete" ? "" : named("completeness", session.completeness?.state),
  ].filter(Boolean)
  return <p className="facts soft small"><Plain text={facts.join(" · ")} /></p>
}

/** `3/7`: the session's own tasks, by the server where it tells them, else by what is loaded. */
function Tasks({ session, source }: { session: Session | undefined; source: TimelineSource }) {
  const { items, hasNewer } = useStore(source.state)
  const told = useMemo(() => hasNewer ? [] : tasksOf(items), [items, hasNewer])
  const { done, total } = session?.tasks ?? { done: doneOf(told), total: told.length }
  if (total === 0) return null
  const current = session?.tasks?.current ?? told.find((task) => task.state === "in_progress")?.text
  return <span className="tag num" title={current}>{t("tasks")} {done}/{total}</span>
}

function Views() {
  const isLog = isLogAsked()
  return (
    <div className="segments" role="group" aria-label={t("view")}>
      <button type="button" className="quiet" aria-pressed={!isLog} onClick={() => showView(false)}>{t("view.conversation")}</button>
      <button type="button" className="quiet" aria-pressed={isLog} onClick={() => showView(true)}>{t("view.log")}</button>
    </div>
  )
}

/** Other browsers, phones and programs that look at the session now. */
function Others({ id }: { id: string }) {
  const looking = useStore(viewers)
  const isOpen = useStore(connection) === "open"
  const others = isOpen && looking?.session === id ? looking.others : 0
  return (
    <span className="others small" role="status">
      {others > 0 && <span title={t("viewers.title")}>{t("viewers.others", { n: others })}</span>}
    </span>
  )
}
