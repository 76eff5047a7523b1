// The views that are loaded when a person first goes to one of them.

export { Figures } from "../figures/Figures"
export { loadSettingsWords, Settings } from "../settings/views"
export { NewSession } from "../drive/NewSession"
export { AllSessions } from "./AllSessions"
export { Palette } from "./Palette"
export { Search } from "./Search"
