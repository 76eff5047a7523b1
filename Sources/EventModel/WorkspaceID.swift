/// A workspace is a project directory on a machine. Its id is derived from the two, so that no look-up is needed to
/// determine it, all spellings of a directory give the same id, and no machine can produce the id of another machine's
/// workspace.
public enum WorkspaceID {
    public static func make(machine: MachineID, path: String) -> String {
        "ws-" + Fingerprint.hex(String(machine.rawValue), DirectoryPath.canonical(path))
    }
}
