import { cut } from "../lib/visible"

const longestText = 200_000
/** Indentation can make a deep value some hundred times as long. */
const longestIndented = 20_000

/** A value of others as JSON, bounded whatever its size. */
export function shownJSON(value: unknown): string {
  const text = JSON.stringify(value) ?? ""
  return text.length > longestIndented ? cut(text, longestText) : JSON.stringify(value, null, 2) ?? ""
}
