// The views and dialogs that are loaded when a person first goes to one of them.

export { Figures } from "../figures/Figures"
export { loadSettingsWords, Settings } from "../settings/views"
export { NewSession } from "../drive/NewSession"
export { AllSessions } from "./AllSessions"
export { Palette } from "./Palette"
export { Search } from "./Search"
export { AlwaysAllow } from "../prompts/AlwaysAllow"
export { ChangedInput } from "../prompts/ChangedInput"
export { Together } from "../prompts/Together"
export { startTabNotices } from "../state/tabNotices"
export { Help } from "./Help"
export { SessionDialogs } from "./SessionDialogs"
