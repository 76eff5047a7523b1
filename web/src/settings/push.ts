import { part, send } from "../api/http"
import { applicationKey, readOffer, registration as registrationOf } from "../api/push"
import { language, t } from "../words/words"

export interface PushToken {
  id: string
  kind: string
  device_id?: string
  state?: string
}

/** Whether and why this browser can or cannot get notices. */
export type PushState =
  | { kind: "on"; token: PushToken | null }
  | { kind: "off" }
  | { kind: "denied" }
  | { kind: "impossible"; why: string }

/** iOS has no pushes for pages in the browser; only pages on the home screen get them. */
function isPlainIOS(): boolean {
  const isApple = /iPhone|iPad|iPod/.test(navigator.userAgent) || (navigator.platform === "MacIntel" && navigator.maxTouchPoints > 1)
  return isApple && !matchMedia("(display-mode: standalone)").matches
}

export async function readPushState(): Promise<PushState> {
  if (!window.isSecureContext) return { kind: "impossible", why: t("push.insecure") }
  if (isPlainIOS()) return { kind: "impossible", why: t("push.ios") }
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return { kind: "impossible", why: t("push.browser") }
  const offer = await readOffer()
  if (offer.status !== "on" || !offer.webpush.available) return { kind: "impossible", why: t("push.server") }
  if (Notification.permission === "denied") return { kind: "denied" }
  const registration = await navigator.serviceWorker.ready
  const subscription = await registration.pushManager.getSubscription()
  if (!subscription) return { kind: "off" }
  return { kind: "on", token: await register(subscription) }
}

/** Asks the person, then the browser's push service, then tells the server. */
export async function subscribe(): Promise<PushState> {
  if ((await Notification.requestPermission()) !== "granted") return { kind: "denied" }
  const registration = await navigator.serviceWorker.ready
  const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: await applicationKey() })
  return { kind: "on", token: await register(subscription) }
}

export async function unsubscribe(token: PushToken | null): Promise<PushState> {
  const registration = await navigator.serviceWorker.ready
  await (await registration.pushManager.getSubscription())?.unsubscribe()
  if (token) await send("DELETE", "/v1/push/tokens/" + part(token.id))
  return { kind: "off" }
}

async function register(subscription: PushSubscription): Promise<PushToken> {
  return send<PushToken>("POST", "/v1/push/tokens", registrationOf(subscription, language()))
}

/** A push to this browser alone. */
export async function testPush(): Promise<void> {
  await send("POST", "/v1/push/test", {})
}
