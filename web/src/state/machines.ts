import { get } from "../api/http"
import type { Machine, Page, Session } from "../api/types"
import { listen } from "../live/live"
import { Store } from "../lib/store"

export const machines = new Store<readonly Machine[]>([])
/** `null`: not known. */
export const serverVersion = new Store<string | null>(null)

/** In seconds. Below this, an offset may be the network's. */
export const leastOffset = 1

/**
 * When something of a session was last heard, in milliseconds by the server's clock. Only a machine whose clock is behind
 * makes a difference: the server takes no time of a machine for later than its own.
 */
export function lastActive(session: Session): number {
  const time = Date.parse(session.last_activity_at)
  const machine = machines.get().find((one) => one.name === session.machine_name)
  const offset = machine?.clock?.offset_seconds ?? 0
  return offset <= -leastOffset ? Math.min(Date.now(), time - offset * 1000) : time
}

const pauseMilliseconds = 60_000
let readAt = 0

export function startMachines(): void {
  listen({ row: heard, reload: () => void loadMachines(), opened: () => void loadMachines() })
  void loadMachines()
}

export async function loadMachines(): Promise<void> {
  try {
    const page = await get<Page<Machine>>("/v1/machines")
    // The operator's own posts belong to a machine that may never have been.
    machines.set(page.data.filter((machine) => machine.last_seen_at || machine.name !== "operator"))
    readAt = Date.now()
    if (serverVersion.get() === null) serverVersion.set((await get<{ version: string }>("/health")).version)
  } catch {
    // What was known stays.
  }
}

/** A change shows that its machine is there; the list itself is read again now and then. */
function heard(row: Session): void {
  const known = machines.get().find((machine) => machine.name === row.machine_name)
  if (!known || Date.now() - readAt > pauseMilliseconds) {
    readAt = Date.now()
    void loadMachines()
  }
}
