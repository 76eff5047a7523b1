import type { ReactNode } from "react"
import type { Prompt } from "../api/types"
import { useStore } from "../lib/store"
import { clockDuration, now } from "../lib/time"
import { t } from "../words/words"

/** What each form of an answer is given: what stands above its own parts and below them. */
export interface FormPlace {
  top: ReactNode
  bottom: ReactNode
}

/** The bar at a card's foot. It is in view as long as a part of the card is. `rare`: beside the answers, or above them. */
export function Foot({ prompt, rare, children }: { prompt: Prompt; rare?: ReactNode; children?: ReactNode }) {
  return (
    <div className="foot">
      <Countdown prompt={prompt} />
      {rare && <div className="strip">{rare}</div>}
      <div className="acts">{children}</div>
    </div>
  )
}

/** A wait that is short is counted down. */
const shortSeconds = 120

function Countdown({ prompt }: { prompt: Prompt }) {
  const at = useStore(now)
  const [held, from] = [Date.parse(prompt.held_until ?? ""), Date.parse(prompt.opened_at)]
  if (!(held - from <= shortSeconds * 1000)) return null
  return <p className="small warn num countdown">{t("held.left", { time: clockDuration(Math.max(0, (held - at) / 1000)) })}</p>
}
