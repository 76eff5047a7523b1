import { useState } from "react"
import { asApiError, type ApiError } from "../api/errors"
import type { Session } from "../api/types"
import { sessionLink } from "../lib/route"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { dateAndTime } from "../lib/time"
import { Empty, Fault, Skeleton } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { mayControl, myDevice } from "../state/me"
import { sessionName } from "../state/names"
import { readSession } from "../state/sessions"
import { useTitle } from "../state/title"
import { say } from "../state/toast"
import { useKeptScroll } from "../views/keptScroll"
import { t } from "../words/words"
import { callerOf } from "./callState"
import { CallList } from "./CallList"
import { listsOf, losesUnknown, mostNames, serversOf, switchesOf, type SessionServer, type Switches } from "./limits"
import { NeedsControl, Refused } from "./Refused"
import { readLimits, readServersOf, readToolsOf, setLimits, type SessionLimits } from "./requests"
import { ServerSwitch } from "./ServerSwitch"

interface Known {
  session: Session | null
  limits: SessionLimits
  servers: SessionServer[]
}

async function readKnown(id: string): Promise<Known> {
  const [session, limits, servers, tools] = await Promise.all([readSession(id), readLimits(id), readServersOf(id), readToolsOf(id)])
  return { session, limits, servers: serversOf(servers, tools) }
}

/** The MCP servers and tools that a session is left with, to switch, and the calls that were made in it. */
export function SessionTools({ id }: { id: string }) {
  const known = useLoaded(() => readKnown(id), [id])
  const view = useKeptScroll<HTMLElement>(known.value !== null)
  const shown = known.value
  useTitle(t("limits"))
  return (
    <main ref={view} className="page tools">
      <header className="bar">
        <a className="back" href={sessionLink(id)} aria-label={t("limits.back")}><span aria-hidden="true">‹</span></a>
        <div className="grow heading">
          <h1 className="clip">{t("limits")}</h1>
          {shown?.session && <p className="clip soft small"><Plain text={sessionName(shown.session)} /></p>}
        </div>
      </header>
      {known.error?.code === "session_not_found" ? <Empty><h2>{t("session.none")}</h2></Empty>
        : <Fault what={t("unread.tools")} error={known.error} again={known.again} />}
      {!shown && !known.error && <Skeleton label={t("reading")} />}
      {shown && <Limits key={shown.limits.set_at ?? ""} known={shown} again={known.again} />}
      {shown && (
        <section aria-label={t("calls")}>
          <h2 className="group"><span>{t("calls")}</span></h2>
          <CallList session={id} />
        </section>
      )}
    </main>
  )
}

function Limits({ known, again }: { known: Known; again: () => void }) {
  const { session, limits, servers } = known
  const may = useStore(mayControl)
  const stored = switchesOf(limits, servers)
  const [changed, setChanged] = useState<Switches | null>(null)
  const saving = useSaving(known, again)
  const switches = changed ?? stored
  const isOurs = session?.runner === "agent"
  const isLocked = !isOurs || !may || saving.isSaving
  const lists = listsOf(switches, servers)
  const isTooLong = (lists.enabled_tools?.length ?? 0) > mostNames || (lists.enabled_servers?.length ?? 0) > mostNames
  const lost = losesUnknown(switches, servers)
  return (
    <section className="stack" aria-label={t("limits")}>
      <p className="note soft small">{t("limits.means")}</p>
      <Said limits={limits} />
      {!isOurs && <p className="note">{t("limits.terminal")}</p>}
      {isOurs && !may && <div className="note"><NeedsControl what={t("limits.needs")} /></div>}
      {servers.length === 0 && <p className="note soft">{t("limits.none")}</p>}
      <ul className="results" aria-label={t("limits.servers")}>
        {servers.map((one) => <ServerSwitch key={one.name} server={one} switches={switches} isLocked={isLocked} onChange={setChanged} />)}
      </ul>
      {lost.length > 0 && <p className="note small"><Plain text={t("limits.lost", { names: lost.map((one) => one.name).join(", ") })} /></p>}
      {isTooLong && <p className="note fault">{t("limits.tooLong", { n: mostNames })}</p>}
      <div className="note"><Refused error={saving.error} machine={session?.machine_name ?? ""} /></div>
      {isOurs && may && (servers.length > 0 || limits.set_at) && (
        <div className="note acts">
          <button type="button" className="yes" disabled={isLocked || !changed || isTooLong} onClick={() => saving.save(lists)}>{t("save")}</button>
          <button type="button" disabled={isLocked || (!changed && limits.enabled_servers === null && limits.enabled_tools === null)}
            onClick={() => saving.save({ enabled_servers: null, enabled_tools: null })}>{t("limits.all")}</button>
        </div>
      )}
    </section>
  )
}

/** Who has set what counts now. */
function Said({ limits }: { limits: SessionLimits }) {
  const own = useStore(myDevice)
  if (!limits.set_by) return null
  return <p className="note small"><Plain text={t("limits.set", { who: callerOf(limits.set_by, own), time: dateAndTime(limits.set_at) })} /></p>
}

interface Saving {
  isSaving: boolean
  error: ApiError | null
  save: (lists: Pick<SessionLimits, "enabled_servers" | "enabled_tools">) => void
}

/** The order that a program has chosen stays. */
function useSaving({ limits }: Known, again: () => void): Saving {
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  return {
    isSaving, error,
    save: (lists) => {
      setSaving(true)
      setError(null)
      setLimits(limits.session_id, { ...lists, priority: limits.priority }).then(() => {
        say(t("limits.saved"))
        again()
      }, (fault: unknown) => setError(asApiError(fault))).finally(() => setSaving(false))
    },
  }
}
