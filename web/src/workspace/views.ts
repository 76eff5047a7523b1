// Files and Git of a project, and the changes of a session: loaded when a person first goes to one of them.

import { addWords, language } from "../words/words"
import { workspaceWords } from "../words/workspace.en"

export { Changes } from "./changes/Changes"
export { Files } from "./files/Files"
export { Git } from "./git/Git"

/** The views need words that the first view does not have. */
export async function loadWorkspaceWords(): Promise<void> {
  addWords(language() === "de" ? (await import("../words/workspace.de")).workspaceWords : workspaceWords)
}
