import { connection, tell } from "../live/live"

/** The server wants a sign at most every 20 s. */
const pauseMilliseconds = 20_000

/** Tells the server when a person does something in this app, so that it does not push what is being looked at. */
export function startPresence(): void {
  let toldAt = 0
  const acted = () => {
    if (Date.now() - toldAt < pauseMilliseconds || connection.get() !== "open") return
    toldAt = Date.now()
    tell("client/presence", { visible: true })
  }
  for (const sign of ["pointerdown", "keydown", "wheel", "touchmove"]) {
    document.addEventListener(sign, acted, { passive: true })
  }
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "hidden") return
    toldAt = 0
    tell("client/presence", { visible: false })
  })
}
