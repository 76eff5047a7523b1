// The MCP servers of the machines, and their tools.

import { addWords, language } from "../words/words"
import { toolWords } from "../words/tools.en"

export { Calls } from "./Calls"
export { ServerView } from "./ServerView"
export { SessionTools } from "./SessionTools"
export { Tools } from "./Tools"

/** The views need words that the first view does not have. */
export async function loadToolWords(): Promise<void> {
  addWords(language() === "de" ? (await import("../words/tools.de")).toolWords : toolWords)
}
