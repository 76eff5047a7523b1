import { useState } from "react"
import { get, search, send } from "../api/http"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { leaveIfSaved } from "../lib/unsaved"
import { cut, visibleText } from "../lib/visible"
import { Fault } from "../parts/Notice"
import { placeOf, projectLabel, sessionName } from "../state/names"
import { mayAdminister, myDevice } from "../state/me"
import { sessions } from "../state/sessions"
import { t } from "../words/words"
import { Decisions } from "./Decisions"
import { NeedsAdminister } from "./NeedsAdminister"
import { OpenTab } from "./OpenTab"
import { PreferencesForm, type Preferences } from "./PreferencesForm"
import { PushSwitch } from "./PushSwitch"

interface Layer {
  scope: string
  id?: string
  preferences: Preferences
  effective: Preferences
}

/** Whether this browser gets notices, which ones, when, and why one came or did not. */
export function Notifications() {
  const own = useStore(myDevice)
  const [scope, setScope] = useState("device")
  return (
    <div className="stack">
      <PushSwitch />
      <OpenTab />
      <label className="field"><b>{t("push.scope")}</b>
        <select value={scope} onChange={(event) => {
          const next = event.target.value
          leaveIfSaved(() => setScope(next))
        }}><Scopes /></select>
      </label>
      <OneLayer key={`${scope} ${own}`} scope={scope} own={own} />
      <Decisions />
    </div>
  )
}

/** The preferences of one scope: what was read of one is never saved to another. */
export function OneLayer({ scope, own }: { scope: string; own: string | null }) {
  const isAdministrator = useStore(mayAdminister)
  const [kind, name] = scope.split(" ")
  const id = name ?? (kind === "device" ? own ?? undefined : undefined)
  const layer = useLoaded(() => get<Layer>("/v1/push/preferences", { scope: kind, id }), [kind, id])
  const save = (preferences: Preferences) => send("PUT", "/v1/push/preferences" + search({ scope: kind, id }), preferences).then(layer.again)
  const mayChange = kind === "device" || isAdministrator
  return (
    <>
      <Fault what={t("unread.settings")} error={layer.error} again={layer.again} />
      {layer.value && (mayChange
        ? <PreferencesForm own={layer.value.preferences}
            effective={layer.value.effective} onSave={save} scope={kind ?? ""} />
        : <NeedsAdminister />)}
    </>
  )
}

const shownSessions = 20

/** For everybody, this device, a project, or a session. */
function Scopes() {
  const all = [...useStore(sessions).values()]
  const projects = new Map(all.filter((one) => one.workspace_id).map((one) => [one.workspace_id as string, projectLabel(one.project_path)]))
  return (
    <>
      <option value="device">{t("scope.device")}</option>
      <option value="default">{t("scope.default")}</option>
      <optgroup label={t("scope.project")}>
        {[...projects].map(([id, name]) => <option key={id} value={"project " + id}>{visibleText(name)}</option>)}
      </optgroup>
      <optgroup label={t("scope.session")}>
        {all.slice(0, shownSessions).map((one) => (
          <option key={one.id} value={"session " + one.id}>{visibleText(`${cut(sessionName(one), 60)} · ${placeOf(one)}`)}</option>
        ))}
      </optgroup>
    </>
  )
}
