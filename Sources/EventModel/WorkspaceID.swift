/// A workspace is a project directory on a machine. Its id follows from the two, so that no look-up is needed to tell
/// it, and no machine can name another's.
public enum WorkspaceID {
    public static func make(machine: MachineID, path: String) -> String {
        "ws-" + Fingerprint.hex(String(machine.rawValue), path)
    }
}
