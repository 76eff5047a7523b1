import type { Prompt, PromptAnswer } from "../api/types"
import { timeOfDay } from "../lib/time"
import { myDevice } from "../state/me"
import { useStore } from "../lib/store"
import { named, t } from "../words/words"

/** What became of the prompt, step by step: who was told, who answered, and whether the machine went on with it. */
export function Life({ prompt }: { prompt: Prompt }) {
  const me = useStore(myDevice)
  const steps = prompt.life ?? []
  const devices = new Set(steps.filter((one) => one.step === "delivered" || one.step === "seen" || one.step === "pushed")
    .map((one) => one.device_id).filter(Boolean))
  const isHere = me !== null && devices.has(me)
  const isAnswered = prompt.state !== "open"
  const applied = prompt.answer?.outcome
  return (
    <p className="life">
      <Step done>{t("life.offered")}</Step>
      <Step done={devices.size > 0}>
        {devices.size > 1 ? t("life.devices", { n: devices.size }) : isHere || devices.size === 0 ? t("life.here")
          : t("life.devices", { n: 1 })}
      </Step>
      <Step done={isAnswered}>{isAnswered ? outcome(prompt) : t("life.answered")}</Step>
      {(prompt.state === "open" || prompt.answer) && (
        <Step last done={applied === "applied" || (isAnswered && prompt.answer?.by?.kind === "terminal")}>
          {applied === "late" ? t("life.late") : t("life.applied")}
        </Step>
      )}
    </p>
  )
}

function Step({ done, last, children }: { done: boolean; last?: boolean; children?: string }) {
  return <span className={done ? "done" : ""}>{children}{!last && <span aria-hidden="true"> › </span>}</span>
}

function outcome(prompt: Prompt): string {
  const answer = prompt.answer
  if (!answer) return named("prompt.state", prompt.state)
  const decision = named("decision", answer.decision ?? prompt.state)
  const time = answer.at ? timeOfDay(answer.at) : ""
  return t("life.by", { decision, who: who(answer), time })
}

function who(answer: PromptAnswer): string {
  const by = answer.by
  if (by?.kind === "device") return by.id && by.id === myDevice.get() ? t("by.you") : by.name || t("by.device")
  return named("by", by?.kind ?? "terminal")
}

/** What happens if nobody answers here. */
export function Fallback({ prompt }: { prompt: Prompt }) {
  if (prompt.state !== "open") return null
  if (!prompt.answerable) return <p className="small soft">{t("held.not")}</p>
  const time = prompt.held_until ? timeOfDay(prompt.held_until) : ""
  const word = prompt.after === "deny" ? "held.deny" : "held.ask"
  return <p className="small soft">{time ? t(word, { time }) : t("held.terminal")}</p>
}
