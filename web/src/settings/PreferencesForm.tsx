import { useState } from "react"
import { dateAndTime, shortAge } from "../lib/time"
import { useUnsaved } from "../lib/unsaved"
import { Fault } from "../parts/Notice"
import { named, t, type Word } from "../words/words"
import { useSaving } from "./useSaving"

interface Kind {
  enabled?: boolean | null
}

interface QuietHours {
  start: string
  end: string
  delivery?: string
  permission_pierces?: boolean
}

export interface Preferences {
  kinds?: Record<string, Kind | null> | null
  quiet_hours?: QuietHours | false | null
  muted_until?: string | null
  cost_thresholds_usd?: number[] | null
  project_cost_thresholds_usd?: number[] | null
  session_cost_thresholds_usd?: number[] | null
  grace_seconds?: number | null
  reminder_seconds?: number | null
  privacy?: string | null
  [other: string]: unknown
}

const kinds = ["permission", "question", "finished", "error", "stuck", "cost_threshold", "server_failed", "machine_offline", "long_tool", "session_started", "session_ended"]
const muteHours = [1, 4, 12]

type BudgetName = "cost_thresholds_usd" | "project_cost_thresholds_usd" | "session_cost_thresholds_usd"

/** The budgets of each layer. */
const budgets: Record<string, [BudgetName, Word][]> = {
  default: [["cost_thresholds_usd", "budget.day"], ["project_cost_thresholds_usd", "budget.eachProject"],
    ["session_cost_thresholds_usd", "budget.eachSession"]],
  project: [["cost_thresholds_usd", "budget.project"]],
  session: [["cost_thresholds_usd", "budget.session"]],
}

interface Props {
  /** Of this layer alone. */
  own: Preferences
  /** With what the other layers say. */
  effective: Preferences
  onSave: (preferences: Preferences) => Promise<unknown>
  /** Whose layer it is: `default`, `device`, `project` or `session`. A device has no budgets. */
  scope: string
}

/** One layer of the preferences. What it does not say, the others decide. */
export function PreferencesForm({ own, effective, onSave, scope }: Props) {
  const [wish, setWish] = useState<Preferences>(own)
  const saving = useSaving(own, onSave)
  useUnsaved(JSON.stringify(wish) !== JSON.stringify(saving.saved))
  const change = (part: Preferences) => {
    saving.begin()
    setWish((was) => ({ ...was, ...part }))
  }
  // Who wants quiet wants it now.
  const mute = (until: string | null) => {
    setWish((was) => ({ ...was, muted_until: until }))
    saving.save({ ...saving.saved, muted_until: until })
  }
  // Where this layer says nothing, the hours of a more general one hold.
  const isInherited = (wish.quiet_hours ?? null) === null && (own.quiet_hours ?? null) === null
  const quiet = (isInherited ? effective.quiet_hours : wish.quiet_hours) || null
  const submit = (event: Event) => {
    event.preventDefault()
    saving.save(wish)
  }
  const isMuted = wish.muted_until && Date.parse(wish.muted_until) > Date.now()
  return (
    <form className="stack" onSubmit={submit}>
      <fieldset>
        <legend><b>{t("push.kinds")}</b></legend>
        {kinds.map((kind) => (
          <label key={kind} className="opt slim">
            <input type="checkbox" checked={wish.kinds?.[kind]?.enabled ?? effective.kinds?.[kind]?.enabled ?? usual(kind)}
              onChange={(event) => change({ kinds: { ...wish.kinds, [kind]: { ...wish.kinds?.[kind], enabled: event.target.checked } } })} />
            <span>{named("push.kind", kind)}</span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend><b>{t("quiet.title")}</b></legend>
        <label className="opt slim">
          <input type="checkbox" checked={quiet !== null}
            onChange={(event) => change({ quiet_hours: event.target.checked ? { start: "22:00", end: "07:00" } : isInherited ? false : null })} />
          <span>{t("quiet.on")}</span>
        </label>
        {quiet && (
          <div className="row wrap">
            <label className="row">{t("quiet.from")} <input type="time" value={quiet.start}
              onChange={(event) => change({ quiet_hours: { ...quiet, start: event.target.value } })} /></label>
            <label className="row">{t("quiet.to")} <input type="time" value={quiet.end}
              onChange={(event) => change({ quiet_hours: { ...quiet, end: event.target.value } })} /></label>
            <select aria-label={t("quiet.delivery")} value={quiet.delivery ?? "silent"}
              onChange={(event) => change({ quiet_hours: { ...quiet, delivery: event.target.value } })}>
              {["silent", "digest", "none"].map((one) => <option key={one} value={one}>{named("delivery", one)}</option>)}
            </select>
            <label className="opt slim">
              <input type="checkbox" checked={quiet.permission_pierces !== false}
                onChange={(event) => change({ quiet_hours: { ...quiet, permission_pierces: event.target.checked } })} />
              <span>{t("quiet.pierce")}</span>
            </label>
          </div>
        )}
      </fieldset>
      <fieldset className="timing">
        <legend><b>{t("timing.title")}</b></legend>
        <Seconds label={t("timing.grace")} choices={[0, 6, 15, 30, 60]} value={wish.grace_seconds ?? effective.grace_seconds ?? 6}
          zero={t("timing.atOnce")} onChange={(seconds) => change({ grace_seconds: seconds })} />
        <Seconds label={t("timing.reminder")} choices={[0, 60, 180, 300, 540]} value={wish.reminder_seconds ?? effective.reminder_seconds ?? 180}
          zero={t("timing.never")} onChange={(seconds) => change({ reminder_seconds: seconds })} />
      </fieldset>
      {scope !== "device" && (
        <fieldset className="budgets">
          <legend><b>{t("budgets")}</b></legend>
          <p className="small soft">{t("budget.hint")}</p>
          {budgets[scope]?.map(([name, word]) => (
            <label key={name} className="field"><span className="small">{t(word)}</span>
              <input type="text" inputMode="decimal" defaultValue={(own[name] ?? []).join(" ")} placeholder="5 20 100"
                onChange={(event) => change({ [name]: amounts(event.target.value) })} />
            </label>
          ))}
        </fieldset>
      )}
      <div className="row wrap" role="group" aria-label={t("mute")}>
        <b>{t("mute")}</b>
        {muteHours.map((hours) => (
          <button key={hours} type="button" className="quiet" onClick={() =>
            mute(new Date(Date.now() + hours * 3_600_000).toISOString())}>
            {t("mute.hours", { n: hours })}
          </button>
        ))}
        {isMuted && <button type="button" className="quiet" onClick={() => mute(null)}>{t("mute.end")}</button>}
        {isMuted && <span className="small soft">{t("mute.until", { time: dateAndTime(wish.muted_until as string) })}</span>}
      </div>
      <Fault what={t("save.failed")} error={saving.error} />
      <div className="row">
        <button type="submit" className="yes">{t("save")}</button>
        <span role="status" className="small done">{saving.state === "saved" ? t("saved") : saving.state === "saving" ? t("saving") : ""}</span>
      </div>
    </form>
  )
}

interface SecondsProps {
  label: string
  choices: number[]
  value: number
  /** What 0 means. */
  zero: string
  onChange: (seconds: number) => void
}

function Seconds({ label, choices, value, zero, onChange }: SecondsProps) {
  const all = [...new Set([...choices, value])].sort((one, other) => one - other)
  return (
    <label className="row"><span className="grow">{label}</span>
      <select value={value} onChange={(event) => onChange(Number(event.target.value))}>
        {all.map((one) => <option key={one} value={one}>{one === 0 ? zero : shortAge(one)}</option>)}
      </select>
    </label>
  )
}

/** Amounts of money, separated by anything. */
function amounts(text: string): number[] | null {
  const found = (text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number).filter((amount) => amount > 0)
  return found.length > 0 ? found : null
}

/** Without any preference: docs/push.md. */
function usual(kind: string): boolean {
  return !["long_tool", "session_started", "session_ended"].includes(kind)
}
