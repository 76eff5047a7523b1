import type { Prompt } from "../api/types"
import { shortAge, timeOfDay } from "../lib/time"
import { myDevice } from "../state/me"
import { useStore } from "../lib/store"
import { t } from "../words/words"

/** How far an open prompt has come: who was told of it. */
export function Life({ prompt }: { prompt: Prompt }) {
  const me = useStore(myDevice)
  const steps = prompt.life ?? []
  const devices = new Set(steps.filter((one) => one.step === "delivered" || one.step === "seen" || one.step === "pushed")
    .map((one) => one.device_id).filter(Boolean))
  const isHere = me !== null && devices.has(me)
  return (
    <p className="life">
      <Step done>{t("life.offered")}</Step>
      <Step done={devices.size > 0}>
        {devices.size > 1 ? t("life.devices", { n: devices.size }) : isHere || devices.size === 0 ? t("life.here")
          : t("life.devices", { n: 1 })}
      </Step>
      <Step>{t("life.answered")}</Step>
      <Step last>{t("life.applied")}</Step>
    </p>
  )
}

function Step({ done = false, last, children }: { done?: boolean; last?: boolean; children?: string }) {
  return <span className={done ? "done" : ""}>{children}{!last && <span aria-hidden="true"> › </span>}</span>
}

/** What happens if nobody answers here. */
export function Fallback({ prompt }: { prompt: Prompt }) {
  if (prompt.state !== "open") return null
  if (!prompt.answerable) return null
  const time = prompt.held_until ? timeOfDay(prompt.held_until) : ""
  const word = prompt.after === "deny" ? "held.deny" : "held.ask"
  const left = shortAge(Math.max(0, Date.parse(prompt.held_until ?? "") - Date.now()) / 1000)
  return <p className="small soft">{time ? t(word, { time, left }) : t("held.terminal")}</p>
}
