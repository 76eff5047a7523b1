package import EventModel
package import HTTPModel

/// The device, program or administrator that answers a prompt, sends a message or changes a session.
package struct Responder: Sendable {
    package let principal: Principal

    package init(_ principal: Principal) {
        self.principal = principal
    }

    /// Its number and its name; `nil` for the operator.
    package var device: (id: String, name: String)? {
        guard case .device(let claims, let rights) = principal.holder else { return nil }
        return (String(claims.device.rawValue), rights.name)
    }

    package var actor: Actor {
        switch principal.holder {
        case .device(let claims, let rights):
            Actor(kind: "device", id: String(claims.device.rawValue), name: rights.name)
        // No one must take its number for that of a device.
        case .apiKey(let key): Actor(kind: "api_key", id: principal.auditName, name: key.name)
        // The operator, too, may post as a machine.
        case .machine(let grant) where grant.keyID != nil:
            Actor(kind: "machine", id: principal.auditName, name: grant.machineName)
        case .machine, .admin: Actor(kind: "operator")
        }
    }

    /// Throws 403 for a program, whose credential is no person's.
    package func requirePerson() throws(APIError) {
        guard !principal.isProgram else { throw .notADevice }
    }

    /// Throws 403 unless the responder may answer on the machine.
    package func require(on machine: MachineID) throws(APIError) { try require(.respond, on: machine) }

    package func require(_ capability: Capability, on machine: MachineID) throws(APIError) {
        guard principal.may(capability, on: machine) else {
            throw .insufficientScope(principal.lacking(capability, on: machine))
        }
    }
}

extension APIError {
    package static let notADevice = APIError(
        .permission,
        status: 403,
        code: "not_a_device",
        message: "This is for a person's device, not for a program."
    )
}

extension RouteRequest {
    package func responder() throws(APIError) -> Responder {
        guard let principal else {
            throw APIError(.authentication, status: 401, code: "missing_credential", message: "A credential is needed.")
        }
        return Responder(principal)
    }
}
