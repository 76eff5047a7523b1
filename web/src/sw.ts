import { answerFrom, show } from "./worker/notices"
import { renewSubscription } from "./worker/renewal"
import { cachedShell, fillCache, dropOldCaches, isShell } from "./worker/shell"

// The part of the service worker's interface that this file uses; the browser's own declarations clash with the page's.
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface WorkerFetch extends WorkerEvent {
  request: Request
  respondWith(answer: Promise<Response>): void
}
interface WorkerPush extends WorkerEvent {
  data: { json(): unknown } | null
}
interface WorkerSubscription extends WorkerEvent {
  oldSubscription?: PushSubscription | null
}
interface WorkerClick extends WorkerEvent {
  action: string
  notification: Notification & { data?: unknown }
}
interface Worker {
  addEventListener(type: "install" | "activate", handler: (event: WorkerEvent) => void): void
  addEventListener(type: "fetch", handler: (event: WorkerFetch) => void): void
  addEventListener(type: "pushsubscriptionchange", handler: (event: WorkerSubscription) => void): void
  addEventListener(type: "push", handler: (event: WorkerPush) => void): void
  addEventListener(type: "notificationclick", handler: (event: WorkerClick) => void): void
  skipWaiting(): Promise<void>
  clients: { claim(): Promise<void> }
}

const worker = self as unknown as Worker

worker.addEventListener("install", (event) => event.waitUntil(fillCache().then(() => worker.skipWaiting())))
worker.addEventListener("activate", (event) => event.waitUntil(dropOldCaches().then(() => worker.clients.claim())))
worker.addEventListener("fetch", (event) => {
  if (isShell(event.request)) event.respondWith(cachedShell(event.request))
})
worker.addEventListener("push", (event) => event.waitUntil(show(event.data?.json())))
worker.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renewSubscription(event.oldSubscription)))
worker.addEventListener("notificationclick", (event) => {
  event.notification.close()
  event.waitUntil(answerFrom(event.action, event.notification.data))
})
