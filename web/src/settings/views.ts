// The settings, which are loaded when a person first goes there.

export { Settings } from "./Settings"
export { loadSettingsWords } from "./words"
