// Views of what the machines have, their projects and their tools: loaded when a person first goes to one of them.

import { loadProjectWords } from "../projects/views"
import { loadSettingsWords } from "../settings/words"
import { loadToolWords } from "../tools/views"

export { Projects, ProjectView } from "../projects/views"
export { Calls, ServerView, SessionTools, Tools } from "../tools/views"

export function loadPlaceWords(): Promise<unknown> {
  return Promise.all([loadProjectWords(), loadToolWords(), loadSettingsWords()])
}
