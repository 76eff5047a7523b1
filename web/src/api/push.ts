import { get } from "./http"

export interface PushOffer {
  status: "on" | "off"
  webpush: { available: boolean; application_server_key?: string }
}

export function readOffer(): Promise<PushOffer> {
  return get<PushOffer>("/v1/push")
}

/** By which push services know this server. */
export async function applicationKey(): Promise<Uint8Array> {
  return bytes((await readOffer()).webpush.application_server_key ?? "")
}

/** What the server is told of a subscription. */
export function registration(subscription: PushSubscription, locale: string): object {
  const { endpoint, keys } = subscription.toJSON()
  return { kind: "webpush", endpoint, keys, locale, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone }
}

function bytes(base64url: string): Uint8Array {
  const text = atob(base64url.replace(/-/g, "+").replace(/_/g, "/"))
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
