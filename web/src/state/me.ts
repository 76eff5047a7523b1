import { get } from "../api/http"
import { asApiError } from "../api/errors"
import { currentAccess } from "../api/signin"
import type { Me } from "../api/types"
import { Store } from "../lib/store"
import { Retry } from "../live/retry"

/** Who this browser is. */
export const me = new Store<Me | null>(null)
export const myDevice = new Store<string | null>(null)
export const mayRespond = new Store(false)
/** On at least one machine. The server says on which when it is asked. */
export const mayControl = new Store(false)
export const mayAdminister = new Store(false)

const retry = new Retry()

/** Asks until the server has answered. */
export function loadMeLater(): void {
  loadMe().then(() => retry.stop(), (fault: unknown) => {
    if (asApiError(fault).isPassing) retry.later(loadMeLater)
  })
}

export async function loadMe(): Promise<void> {
  const access = await currentAccess()
  myDevice.set(access.deviceId)
  const found = await get<Me>("/v1/me")
  me.set(found)
  mayRespond.set(found.capabilities.includes("respond"))
  mayControl.set(found.capabilities.includes("control"))
  mayAdminister.set(found.capabilities.includes("administer"))
}
