/** How much a tab of this browser has told the others, from its beginning as the leader on. */
export interface Place {
  leader: string
  count: number
}

/** What a tab does that follows another one, when it hears where the leader stands. */
export type Step = "reload" | "deliver" | "none"

/**
 * @param own `null`: this tab has heard nothing yet; what it has loaded is newer than that
 * @param isNotice the leader tells something new, which makes it stand here
 */
export function stepOf(own: Place | null, leader: Place, isNotice: boolean): Step {
  if (!own) return isNotice ? "deliver" : "none"
  if (own.leader !== leader.leader) return "reload"
  if (isNotice) return leader.count === own.count + 1 ? "deliver" : leader.count > own.count ? "reload" : "none"
  return leader.count > own.count ? "reload" : "none"
}
