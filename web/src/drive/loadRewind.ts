import { addWords, language } from "../words/words"
import { rewindWords } from "../words/rewind.en"

export { Rewind } from "./Rewind"

/** The dialog needs words that the first view does not have. */
export async function loadRewindWords(): Promise<void> {
  addWords(language() === "de" ? (await import("../words/rewind.de")).rewindWords : rewindWords)
}
