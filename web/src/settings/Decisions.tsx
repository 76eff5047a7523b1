import { useState } from "react"
import { get } from "../api/http"
import type { Device } from "../api/devices"
import type { Page } from "../api/types"
import { useLoaded } from "../lib/load"
import { sessionLink } from "../lib/route"
import { useStore } from "../lib/store"
import { dateAndTime, shortAge, timeOfDay } from "../lib/time"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { sessionName } from "../state/names"
import { myDevice } from "../state/me"
import { sessions } from "../state/sessions"
import { language, named, t } from "../words/words"

interface Delivery {
  device_id: string
  state: string
  level?: string
  /** One word. */
  code?: string
  /** The same as an English sentence, with its particulars. */
  reason?: string
  due_at?: string
  decided_at?: string
}

interface Notice {
  key: string
  kind: string
  /** The same as the notice before, once more. */
  reminder?: boolean
  raised_at: string
  session_id?: string
  /** The place of the event that raised it. */
  seq?: number
  /** One word; set if the notice was taken back. */
  withdrawn_because?: string
  /** The same as an English sentence. */
  withdrawn_reason?: string
  deliveries: Delivery[]
}

const shownAtFirst = 15
const mostShown = 100

/** For each notice why it was raised, and for each device why it came, waits, or did not come. */
export function Decisions() {
  const [limit, setLimit] = useState(shownAtFirst)
  const latest = useLoaded(() => get<{ notices: Notice[]; remark?: string }>("/v1/push/decisions", { limit }), [limit])
  const devices = useLoaded(() => get<Page<Device>>("/v1/devices"), [])
  const names = new Map((devices.value?.data ?? []).map((device) => [device.id, device.name]))
  const notices = latest.value?.notices ?? []
  return (
    <section aria-label={t("why")}>
      <h3>{t("why")}</h3>
      <Fault what={t("unread.settings")} error={latest.error} again={latest.again} />
      {latest.value && notices.length === 0 && <p className="small soft">{latest.value.remark ?? t("why.none")}</p>}
      <ul className="rows why">
        {notices.map((notice, index) => <Told key={notice.key + index} notice={notice} names={names} />)}
      </ul>
      {notices.length === limit && limit < mostShown && (
        <button type="button" className="quiet" onClick={() => setLimit(mostShown)}>{t("more")}</button>
      )}
    </section>
  )
}

function Told({ notice, names }: { notice: Notice; names: Map<string, string> }) {
  const own = useStore(myDevice)
  return (
    <li>
      <p className="row"><b className="grow">{named("push.kind", notice.kind)}{notice.reminder && ": " + t("why.reminder")}</b>
        <span className="small soft num">{dateAndTime(notice.raised_at)}</span></p>
      {notice.session_id && (
        <p className="small"><a href={sessionLink(notice.session_id, notice.seq || undefined)}><Plain text={nameOf(notice.session_id)} /></a></p>
      )}
      <p className="small soft">{named("push.rule", notice.reminder ? "reminder" : notice.kind)}</p>
      {notice.deliveries.length === 0 && <p className="small soft">{withoutDelivery(notice)}</p>}
      {notice.deliveries.map((delivery, place) => (
        <p key={place} className="small delivery">
          <span className={"state " + delivery.state}>{named("delivery.state", delivery.state)}</span>{" "}
          <Plain text={delivery.device_id === own ? t("scope.device") : names.get(delivery.device_id) ?? t("device.number", { id: delivery.device_id })} />
          {when(notice, delivery)}
          {delivery.level && delivery.state === "sent" && ", " + named("level", delivery.level)}
          <span className="soft"> · {reasonOf(delivery)}</span>
        </p>
      ))}
    </li>
  )
}

/** How long after it was raised; of one that waits, until when. */
function when(notice: Notice, delivery: Delivery): string {
  if (delivery.due_at) return " " + t("mute.until", { time: timeOfDay(delivery.due_at) })
  const seconds = (Date.parse(delivery.decided_at ?? "") - Date.parse(notice.raised_at)) / 1000
  return Number.isNaN(seconds) ? "" : " " + (seconds < 1 ? t("why.atOnce") : t("why.after", { age: shortAge(seconds) }))
}

/** Nobody got it: it was over when it was raised, or no device was registered. */
function withoutDelivery(notice: Notice): string {
  if (!notice.withdrawn_because) return t("why.nobody")
  return reasonOf({ code: notice.withdrawn_because, reason: notice.withdrawn_reason })
}

/** The server's sentence, in English; in other languages its code has one. */
function reasonOf(delivery: Pick<Delivery, "code" | "reason">): string {
  if (language() === "en") return delivery.reason ?? ""
  return delivery.code ? named("push.code", delivery.code) : delivery.reason ?? ""
}

function nameOf(id: string): string {
  const session = sessions.get().get(id)
  return session ? sessionName(session) : id
}
