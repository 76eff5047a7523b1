internal import API
package import EventModel
internal import HTTPModel

/// What a command about files or repositories of a machine needs.
package enum WorkspaceRight: Sendable {
    /// Reads: `respond` or `control`.
    case look
    /// Changes: `control`.
    case change

    package func isHeld(by principal: Principal, on machine: MachineID) -> Bool {
        principal.may(.control, on: machine) || self == .look && principal.may(.respond, on: machine)
    }

    func require(of responder: Responder, on machine: MachineID) throws(APIError) {
        guard !isHeld(by: responder.principal, on: machine) else { return }
        let capability: Capability = self == .look ? .respond : .control
        throw .insufficientScope(responder.principal.lacking(capability, on: machine))
    }
}

/// A directory or a file on a machine.
package struct WorkspacePlace: Sendable {
    package let machine: MachineID
    package let machineName: String
    /// Absolute, as the client or the log names it. The machine's agent checks it.
    package let path: String

    package init(machine: MachineID, machineName: String, path: String) {
        (self.machine, self.machineName, self.path) = (machine, machineName, path)
    }

    /// A path below this one. An absolute path stands for itself.
    package func appending(_ path: String) -> WorkspacePlace {
        guard !path.isEmpty else { return self }
        let base = self.path == "/" ? "" : self.path
        let whole = path.hasPrefix("/") ? path : base + "/" + path
        return WorkspacePlace(machine: machine, machineName: machineName, path: whole)
    }
}
