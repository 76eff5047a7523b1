// What the models cost, and what is wrong: loaded when a person first goes there.

import { addWords, language } from "../words/words"
import { diagnosticWords } from "../words/diagnostics.en"

export { Diagnostics } from "./Diagnostics"
export { Models } from "./Models"

/** The views need words that the first view does not have. */
export async function loadDiagnosticWords(): Promise<void> {
  addWords(language() === "de" ? (await import("../words/diagnostics.de")).diagnosticWords : diagnosticWords)
}
