import { percent } from "../lib/time"
import { t } from "../words/words"

/** `12% more than in the 30 days before`; empty where nothing was then. */
export function changeText(now: number, then: number | undefined, days: number): string {
  if (!then) return ""
  const share = (now - then) / then
  if (Math.abs(share) < 0.005) return t("figures.same", { n: days })
  return t(share > 0 ? "figures.more" : "figures.less", { share: percent(Math.abs(share)), n: days })
}
