// The list of projects, and one of them.

import { addWords, language } from "../words/words"
import { projectWords } from "../words/projects.en"

export { Projects } from "./Projects"
export { ProjectView } from "./ProjectView"

/** The views need words that the first view does not have. */
export async function loadProjectWords(): Promise<void> {
  addWords(language() === "de" ? (await import("../words/projects.de")).projectWords : projectWords)
}
