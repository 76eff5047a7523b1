import { t } from "../words/words"
import { number } from "./time"

/** The part of a cost without a price: what the client guessed for models that it does not know. */
export interface Unpriced {
  cost?: number
  requests?: number
  models?: string[]
}

/** What is money of a cost, in dollars. */
export function spent(of: { total_cost?: number; unpriced?: Unpriced }): number {
  return Math.max(0, (of.total_cost ?? 0) - (of.unpriced?.cost ?? 0))
}

/** A sentence about requests whose models have no price. */
export function unpricedNote(unpriced: Unpriced): string {
  return t("usage.unpriced", { n: number(unpriced.requests ?? 0), models: (unpriced.models ?? []).filter(Boolean).join(", ") || "–" })
}
