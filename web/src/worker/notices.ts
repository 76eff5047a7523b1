import { errorOf } from "../api/errors"
import { call } from "../api/http"
import type { Page, Prompt } from "../api/types"
import { address, base } from "../lib/base"
import { actions } from "../words/actions"

/** What the server pushes: docs/push.md. */
interface Push {
  kind?: string
  tag?: string
  title?: string
  body?: string
  silent?: boolean
  renotify?: boolean
  require_interaction?: boolean
  timestamp?: number
  badge?: number
  /** Each capability answers this one prompt, once, without a sign-in. */
  prompt?: { id: string; actions?: { allow?: string; deny?: string } }
  content?: { session_id?: string; tool_use_id?: string; pending?: number }
}

interface Kept {
  session?: string
  toolUse?: string
  prompt?: string
  capabilities?: { allow?: string; deny?: string }
}

interface WorkerScope {
  registration: {
    showNotification(title: string, options: object): Promise<void>
    getNotifications(filter: { tag?: string }): Promise<Notification[]>
  }
  clients: {
    matchAll(options: object): Promise<{ url: string; focus(): Promise<unknown>; postMessage(message: object): void }[]>
    openWindow(url: string): Promise<unknown>
  }
  navigator: { setAppBadge?: (count: number) => Promise<void> }
}

const scope = self as unknown as WorkerScope

/** Each push shows a notice: browsers withdraw the permission from pages that stay silent. */
export async function show(data: unknown): Promise<void> {
  const push = (data ?? {}) as Push
  const content = push.content ?? {}
  const prompt = push.prompt?.id
  const capabilities = push.prompt?.actions
  const kept: Kept = { session: content.session_id, toolUse: content.tool_use_id, prompt, capabilities }
  const canAnswer = push.kind === "permission" && (content.pending ?? 1) <= 1 && (prompt || content.session_id)
  const words = actions[navigator.language.startsWith("de") ? "de" : "en"]
  const deny = { action: "deny", title: words.deny }
  // Without the capability the notice shows only a part of what would be allowed, or nothing of it.
  const answers = capabilities?.allow ? [{ action: "allow", title: words["allow.once"] }, deny] : [deny]
  await scope.registration.showNotification(push.title ?? "Claude Code", {
    body: push.body ?? "",
    tag: push.tag ?? "monitor",
    silent: push.silent === true,
    renotify: push.renotify === true && push.silent !== true,
    requireInteraction: push.require_interaction === true,
    timestamp: push.timestamp ?? Date.now(),
    icon: address("icons/icon-192.png"),
    badge: address("icons/badge.png"),
    data: kept,
    actions: canAnswer ? answers : [],
  })
  await scope.navigator.setAppBadge?.(push.badge ?? content.pending ?? (push.kind === "resolved" ? 0 : 1)).catch(() => undefined)
}

/** A tap on the body opens the prompt; an action answers it. */
export async function answerFrom(action: string, data: unknown): Promise<void> {
  const kept = (data ?? {}) as Kept
  if (action !== "allow" && action !== "deny") return open(kept)
  try {
    const id = kept.prompt ?? (await find(kept))?.id
    if (!id) return await open(kept)
    const path = `/v1/prompts/${encodeURIComponent(id)}`
    const capability = kept.capabilities?.[action]
    if (capability) await use(capability, path)
    else if (action === "allow") return await open(kept)
    else await call("POST", path + "/answer", { answer_id: crypto.randomUUID(), decision: "deny" })
    for (const page of await pages()) page.postMessage({ answered: id })
  } catch {
    // It was not answered; the person sees in the app why.
    await open(kept)
  }
}

async function use(capability: string, path: string): Promise<void> {
  const answer = await fetch(address(path.slice(1) + "/action"), {
    method: "POST",
    credentials: "omit",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ capability }),
  })
  if (!answer.ok) throw await errorOf(answer)
}

async function find(kept: Kept): Promise<Prompt | undefined> {
  const query = kept.session ? "&session_id=" + encodeURIComponent(kept.session) : ""
  const answer = await call("GET", "/v1/prompts?state=open&kind=permission" + query)
  const open = ((await answer.json()) as Page<Prompt>).data
  if (kept.toolUse) return open.find((prompt) => prompt.tool_use_id === kept.toolUse)
  return open.length === 1 ? open[0] : undefined
}

function pages() {
  return scope.clients.matchAll({ type: "window", includeUncontrolled: true })
}

async function open(kept: Kept): Promise<void> {
  const hash = kept.prompt ? "#/p/" + encodeURIComponent(kept.prompt)
    : kept.session ? "#/s/" + encodeURIComponent(kept.session) : "#/"
  const page = (await pages()).find((one) => one.url.startsWith(base.href))
  if (!page) return void (await scope.clients.openWindow(base.href + hash))
  page.postMessage({ open: hash })
  await page.focus()
}
