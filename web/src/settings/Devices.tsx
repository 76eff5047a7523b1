import { get, part, send } from "../api/http"
import type { Device } from "../api/devices"
import type { Page } from "../api/types"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { dateAndTime } from "../lib/time"
import { Ago } from "../parts/Age"
import { Command } from "../parts/Copy"
import { Entry } from "../parts/Entry"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { deviceName } from "../prompts/outcome"
import { mayAdminister, myDevice } from "../state/me"
import { named, t } from "../words/words"
import { maySay } from "./maySay"
import { NeedsAdminister } from "./NeedsAdminister"
import { PairDevice } from "./PairDevice"
import { PendingDevices } from "./PendingDevices"
import { RenameDevice } from "./RenameDevice"
import { Revoke } from "./Revoke"

/** Who else may look and answer. */
export function Devices() {
  const devices = useLoaded(() => get<Page<Device>>("/v1/devices"), [])
  const isAdministrator = useStore(mayAdminister)
  const own = useStore(myDevice)
  // This browser is first, then those that were seen last.
  const all = (devices.value?.data ?? []).filter((device) => device.state === "active").sort((one, other) =>
    Number(other.id === own) - Number(one.id === own) || (other.last_seen_at ?? "").localeCompare(one.last_seen_at ?? ""))
  return (
    <div className="stack">
      <Fault what={t("unread.settings")} error={devices.error} again={devices.again} />
      {isAdministrator && <PendingDevices onDecided={devices.again} />}
      <ul className="rows">
        {all.map((device) => (
          <Entry key={device.id}
            name={<><b><Plain text={deviceName(device.name)} /></b>{device.id === own && <span className="tag">{t("device.this")}</span>}</>}
            facts={
              <>
                {[device.platform ? named("platform", device.platform) : "", maySay(device.capabilities)].filter(Boolean).join(" · ")}<br />
                {device.last_seen_at ? <>{t("device.seen")} <Ago time={device.last_seen_at} /></> : t("age.never")}
                {" · "}{t("device.first", { time: dateAndTime(device.created_at) })}
                {!isAdministrator && " · " + t("device.number", { id: device.id })}
              </>
            }
            acts={isAdministrator && (
              <>
                <RenameDevice device={device} onRenamed={devices.again} />
                <Revoke what={device.name} onConfirm={() => send("DELETE", "/v1/devices/" + part(device.id)).then(devices.again)} />
              </>
            )} />
        ))}
      </ul>
      {!isAdministrator && (
        <NeedsAdminister commands={["monitorctl device rename ID NAME", "monitorctl device revoke ID"]} />
      )}
      {isAdministrator ? <PairDevice onPaired={devices.again} /> : (
        <>
          <p className="small soft">{t("device.more")}</p>
          <Command text="monitorctl device pair --browser" />
        </>
      )}
    </div>
  )
}
