import { named, t } from "../words/words"

/** `Can view and answer`. */
export function maySay(capabilities: readonly string[]): string {
  const words = capabilities.map((one) => named("can", one))
  const last = words.pop() ?? ""
  return t("can", { what: words.length > 0 ? `${words.join(", ")} ${t("and")} ${last}` : last })
}
