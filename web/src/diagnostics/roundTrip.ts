import { get, part } from "../api/http"
import { asApiError } from "../api/errors"

/** How long an answer took, in milliseconds; or why there is none. */
export interface Trip {
  milliseconds: number | null
  code: string | null
}

const tries = 3

/** The middle of several: the first also opens the connection. */
export async function serverTrip(): Promise<Trip> {
  return middle(() => get("/health"))
}

/** To the agent of a machine and back, by way of the server. Any answer of the agent counts, a refusal too. */
export async function machineTrip(machine: string): Promise<Trip> {
  return middle(() => get(`/v1/machines/${part(machine)}/file`, { path: "/", content: "false" }))
}

/** The server itself says these. */
const withoutAgent = new Set(["offline", "agent_unavailable", "agent_timeout", "insufficient_scope", "machine_not_found", "rate_limited", "unknown"])

async function middle(ask: () => Promise<unknown>): Promise<Trip> {
  const taken: number[] = []
  for (let at = 0; at < tries; at++) {
    const begun = performance.now()
    const code = await ask().then(() => null, (fault: unknown) => asApiError(fault).code)
    if (code !== null && withoutAgent.has(code)) return { milliseconds: null, code }
    taken.push(performance.now() - begun)
  }
  return { milliseconds: taken.sort((one, other) => one - other)[tries >> 1] ?? null, code: null }
}
