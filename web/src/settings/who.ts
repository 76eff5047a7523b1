import { get } from "../api/http"
import type { Device } from "../api/devices"
import type { Page } from "../api/types"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { deviceName } from "../prompts/outcome"
import { myDevice } from "../state/me"
import { named, t } from "../words/words"

export type Names = ReadonlyMap<string, string>

/** Devices by their ids, also those that were revoked, and how they are called. */
export function useDevices(): { devices: readonly Device[]; names: Names } {
  const own = useStore(myDevice)
  const devices = useLoaded(() => get<Page<Device>>("/v1/devices"), []).value?.data ?? []
  const name = (device: Device) => device.id === own ? t("scope.device") : deviceName(device.name)
  return { devices, names: new Map(devices.map((device) => [device.id, name(device)])) }
}

/** `device:11 administer` or `device:11 phone → pocket` in words: the device by its name, and what else is told. */
export function partyOf(text: string | undefined, names: Names): string {
  const [head = "", ...rest] = (text ?? "").split(" ")
  const [kind = "", ...tail] = head.split(":")
  const id = tail.join(":")
  if (!id) return head === "admin" || head === "operator" ? t("audit.operator") : named("audit.party", text ?? "")
  if (kind !== "device") return [named("audit.party", kind), id, ...rest].join(" ")
  const told = rest.length === 1 ? named("capability", rest[0] ?? "") : rest.join(" ")
  return (names.get(id) ?? t("device.number", { id })) + (told && ` (${told})`)
}
