import { addWords, language } from "../words/words"
import { settingsWords } from "../words/settings.en"

/** The settings need words that the first view does not have. So do other views that show parts of them. */
export async function loadSettingsWords(): Promise<void> {
  addWords(language() === "de" ? (await import("../words/settings.de")).settingsWords : settingsWords)
}
