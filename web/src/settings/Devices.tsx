import { get, part, send } from "../api/http"
import type { Device, Page } from "../api/types"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { Ago } from "../parts/Age"
import { Command } from "../parts/Copy"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { mayAdminister, myDevice } from "../state/me"
import { named, t } from "../words/words"
import { NeedsAdminister } from "./NeedsAdminister"
import { Revoke } from "./Revoke"

/** Who else may look and answer. */
export function Devices() {
  const devices = useLoaded(() => get<Page<Device>>("/v1/devices"), [])
  const isAdministrator = useStore(mayAdminister)
  const own = useStore(myDevice)
  const all = (devices.value?.data ?? []).filter((device) => device.state === "active")
  return (
    <div className="stack">
      <Fault what={t("unread.settings")} error={devices.error} again={devices.again} />
      <ul className="rows">
        {all.map((device) => (
          <li key={device.id} className="row">
            <span className="grow">
              <b><Plain text={device.name} /></b>
              {device.id === own && <span className="tag">{t("device.this")}</span>}
              <span className="soft small under">
                {device.capabilities.map((one) => named("capability", one)).join(", ")} · {t("device.number", { id: device.id })}
              </span>
            </span>
            <span className="soft small num"><Ago time={device.last_seen_at} /></span>
            {isAdministrator && <Revoke what={device.name} onConfirm={() => send("DELETE", "/v1/devices/" + part(device.id)).then(devices.again)} />}
          </li>
        ))}
      </ul>
      {!isAdministrator && (
        <NeedsAdminister commands={["monitorctl device revoke ID"]} />
      )}
      <p className="small soft">{t("device.more")}</p>
      <Command text="monitorctl device pair --browser" />
    </div>
  )
}
