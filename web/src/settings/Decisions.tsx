import { get } from "../api/http"
import { useLoaded } from "../lib/load"
import { dateAndTime } from "../lib/time"
import { sessionLink } from "../lib/route"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { sessionName } from "../state/groups"
import { sessions } from "../state/sessions"
import { named, t } from "../words/words"

interface Delivery {
  device_id: string
  state: string
  /** A sentence. */
  reason?: string
}

interface Notice {
  key: string
  kind: string
  raised_at: string
  session_id?: string
  deliveries: Delivery[]
}

/** Why a notice came, or did not. */
export function Decisions() {
  const latest = useLoaded(() => get<{ notices: Notice[]; remark?: string }>("/v1/push/decisions", { limit: 15 }), [])
  const notices = latest.value?.notices ?? []
  return (
    <section aria-label={t("why")}>
      <h3>{t("why")}</h3>
      <Fault error={latest.error} />
      {latest.value && notices.length === 0 && <p className="small soft">{latest.value.remark ?? t("why.none")}</p>}
      <ul className="rows">
        {notices.map((notice, index) => (
          <li key={notice.key + index}>
            <p className="row"><b className="grow">{named("push.kind", notice.kind)}</b>
              <span className="small soft num">{dateAndTime(notice.raised_at)}</span></p>
            {notice.session_id && (
              <p className="small"><a href={sessionLink(notice.session_id)}><Plain text={nameOf(notice.session_id)} /></a></p>
            )}
            {notice.deliveries.map((delivery, place) => (
              <p key={place} className="small soft">
                {t("device.number", { id: delivery.device_id })}: {named("delivery.state", delivery.state)}
                {delivery.reason ? `: ${delivery.reason}` : ""}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}

function nameOf(id: string): string {
  const session = sessions.get().get(id)
  return session ? sessionName(session) : id
}
