import { call } from "../api/http"
import { applicationKey, registration } from "../api/push"

interface Scope {
  registration: { pushManager: PushManager }
}

/** The push service has ended a subscription: this browser subscribes again and tells the server, without a person. */
export async function renewSubscription(old: PushSubscription | null | undefined): Promise<void> {
  const manager = (self as unknown as Scope).registration.pushManager
  const fresh = (await manager.getSubscription()) ?? (await manager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: old?.options.applicationServerKey ?? (await applicationKey()),
  }))
  await call("POST", "/v1/push/tokens", registration(fresh, navigator.language.slice(0, 2)))
}
