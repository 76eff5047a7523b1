import type { Cursor } from "./socket"

/** What a tab does that follows another one, when it hears where the leader stands. */
export type Step = "reload" | "catchUp" | "none"

/** @param own `null`: this tab has loaded nothing yet */
export function stepOf(own: Cursor | null, leader: Cursor | null): Step {
  if (!leader) return "none"
  if (!own || own.epoch !== leader.epoch) return "reload"
  return leader.seq > own.seq ? "catchUp" : "none"
}
