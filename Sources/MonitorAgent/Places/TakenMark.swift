internal import MachinePolicy

/// A file in a session's state directory: a person goes on with the session in a terminal.
enum TakenMark {
    private static func path(_ stateDirectory: String) -> String { stateDirectory + "/taken" }

    static func set(_ stateDirectory: String) throws(OwnFile.Fault) { try OwnFile.replace(path(stateDirectory), []) }

    static func isSet(_ stateDirectory: String) -> Bool { SmallFile.realPath(path(stateDirectory)) != nil }
}
