import { Store } from "../lib/store"

interface InstallOffer extends Event {
  prompt(): Promise<unknown>
}

/** The browser's offer to install the app, as long as it stands. */
export const installOffer = new Store<InstallOffer | null>(null)

export function startInstall(): void {
  window.addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault()
    installOffer.set(event as InstallOffer)
  })
  window.addEventListener("appinstalled", () => installOffer.set(null))
}
