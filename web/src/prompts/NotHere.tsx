import type { Prompt } from "../api/types"
import { timeOfDay } from "../lib/time"
import { t } from "../words/words"

/** Why a prompt can be read here and not answered. */
export function NotHere({ prompt }: { prompt: Prompt }) {
  const ended = prompt.life?.filter((one) => one.step === "released").pop()
  return <p className="small why">{ended ? t("held.ended", { time: timeOfDay(ended.at) }) : t("held.not")}</p>
}
