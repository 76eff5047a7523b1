import { address } from "../lib/base"
import { go } from "../lib/route"
import { refreshPrompt } from "./prompts"

/** Registers the service worker, and follows its wishes: a notice that was tapped opens its prompt. */
export function startWorker(): void {
  if (!("serviceWorker" in navigator)) return
  navigator.serviceWorker.register(address("sw.js"), { scope: address("") }).catch(() => undefined)
  navigator.serviceWorker.addEventListener("message", (message) => {
    const data = message.data as { open?: string; answered?: string }
    if (data.open) go(data.open)
    if (data.answered) void refreshPrompt(data.answered)
  })
}
