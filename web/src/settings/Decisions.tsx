import { get } from "../api/http"
import { useLoaded } from "../lib/load"
import { dateAndTime } from "../lib/time"
import { oneLine } from "../lib/visible"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { named, t } from "../words/words"

interface Delivery {
  device_id?: string
  device_name?: string
  state?: string
  reason?: string
  sent_at?: string
}

interface Notice {
  id?: string
  kind: string
  raised_at?: string
  title?: string
  withdrawn_reason?: string
  deliveries?: Delivery[]
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
          <li key={notice.id ?? index}>
            <p className="row"><b className="grow">{named("push.kind", notice.kind)}</b>
              <span className="small soft num">{dateAndTime(notice.raised_at)}</span></p>
            {notice.title && <p className="small"><Plain text={oneLine(notice.title)} /></p>}
            {(notice.deliveries ?? []).map((delivery, place) => (
              <p key={place} className="small soft">
                <bdi>{delivery.device_name ?? delivery.device_id ?? ""}</bdi>: {named("delivery.state", delivery.state)}
                {delivery.reason ? ` (${named("reason", delivery.reason)})` : ""}
              </p>
            ))}
            {notice.withdrawn_reason && <p className="small soft">{named("reason", notice.withdrawn_reason)}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}
