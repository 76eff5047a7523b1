import { get } from "../api/http"
import { address } from "../lib/base"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { number, shortAge } from "../lib/time"
import { Ago } from "../parts/Age"
import { Fault } from "../parts/Notice"
import { connection, lastHeard } from "../live/live"
import { named, t } from "../words/words"

interface Health {
  status: string
  version: string
  claude_version?: string | null
  uptime_seconds: number
  active_sessions: number
  database: { status: string }
  spool: { status: string; events?: number }
  subscribers: { websockets: number; event_streams: number }
}

/** The server's version and health, and how far this page is behind. */
export function About() {
  const health = useLoaded(async () => {
    const started = performance.now()
    const found = await get<Health>("/health")
    return { ...found, delay: performance.now() - started }
  }, [])
  const state = useStore(connection)
  const heard = useStore(lastHeard)
  const value = health.value
  return (
    <div className="stack">
      <Fault what={t("unread.settings")} error={health.error} again={health.again} />
      {value && (
        <dl className="kv">
          <dt>{t("about.version")}</dt><dd>{value.version}</dd>
          {value.claude_version && <><dt>{t("about.claude")}</dt><dd>{value.claude_version}</dd></>}
          <dt>{t("about.health")}</dt><dd>{named("health", value.status)}</dd>
          <dt>{t("about.database")}</dt><dd>{named("health", value.database.status)}</dd>
          {(value.spool.events ?? 0) > 0 && <><dt>{t("about.spool")}</dt><dd>{number(value.spool.events ?? 0)}</dd></>}
          <dt>{t("about.uptime")}</dt><dd>{shortAge(value.uptime_seconds)}</dd>
          <dt>{t("about.viewers")}</dt><dd>{number(value.subscribers.websockets)}</dd>
          <dt>{t("about.delay")}</dt><dd>{number(value.delay)} ms</dd>
          <dt>{t("about.connection")}</dt><dd>{named("connection", state)}, <Ago time={new Date(heard).toISOString()} /></dd>
        </dl>
      )}
      <p className="row">
        <a href={address("docs")}>{t("about.docs")}</a>
        <a href={address("assets/NOTICE.txt")}>{t("about.licences")}</a>
      </p>
      <button type="button" className="quiet" onClick={health.again}>{t("again")}</button>
    </div>
  )
}
