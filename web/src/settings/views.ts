// The settings, which are loaded when a person first goes there.

import { addWords, language } from "../words/words"
import { settingsWords } from "../words/settings.en"

export { Settings } from "./Settings"

/** The settings need words that the first view does not have. */
export async function loadSettingsWords(): Promise<void> {
  addWords(language() === "de" ? (await import("../words/settings.de")).settingsWords : settingsWords)
}
