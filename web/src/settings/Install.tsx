import { useStore } from "../lib/store"
import { installOffer } from "../state/install"
import { t } from "../words/words"

const isInstalled = matchMedia("(display-mode: standalone)").matches
const isApple = /iPhone|iPad|iPod/.test(navigator.userAgent)

/** How the app comes to the home screen of this device: by a button where the browser offers it, else in words. */
export function Install() {
  const offer = useStore(installOffer)
  if (isInstalled) return null
  return (
    <div>
      <h3>{t("install.title")}</h3>
      <p className="small soft">
        {!window.isSecureContext ? t("install.insecure") : isApple ? t("install.ios") : t("install.text")}
      </p>
      {offer && <button type="button" onClick={() => void offer.prompt()}>{t("install.do")}</button>}
    </div>
  )
}
