import { useEffect, useState } from "react"
import { get } from "../api/http"
import type { Device } from "../api/devices"
import type { Page } from "../api/types"
import { keep, kept } from "../lib/kept"
import { useStore } from "../lib/store"
import { mayAdminister } from "../state/me"
import { t } from "../words/words"

const name = "phone-step"

/** While this browser is the only device: says that a phone can be paired, until the person does so or declines. */
export function NextStep() {
  const isAdministrator = useStore(mayAdminister)
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (isAdministrator) void isDue().then(setShown, () => undefined)
  }, [isAdministrator])
  if (!isShown) return null
  const decline = () => {
    setShown(false)
    void keep(name, "declined").catch(() => undefined)
  }
  return (
    <aside className="next row wrap">
      <span className="grow">{t("first.phone")}</span>
      <a className="button yes" href="#/settings/devices">{t("first.pair")}</a>
      <button type="button" className="quiet" onClick={decline}>{t("first.later")}</button>
    </aside>
  )
}

async function isDue(): Promise<boolean> {
  if (await kept(name)) return false
  const devices = await get<Page<Device>>("/v1/devices")
  return devices.data.filter((device) => device.state === "active").length === 1
}
