import { send } from "../api/http"
import type { Machine, Session } from "../api/types"
import { sessions } from "../state/sessions"

/** The machine's agent is connected, and its file lets sessions be started. */
export function isReady(machine: Machine): boolean {
  return machine.agent?.state === "online" && machine.agent.may?.control === true
}

/** Starts a session, and puts it into the list. The same ids at each try: a lost answer starts no second session. */
export async function startSession(start: object): Promise<Session> {
  const session = await send<Session>("POST", "/v1/sessions", start)
  sessions.update((all) => new Map(all).set(session.id, session))
  return session
}
