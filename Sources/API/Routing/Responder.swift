package import EventModel
package import HTTPModel

/// The device or administrator that answers a prompt, sends a message or changes a session.
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
        guard let device else { return Actor(kind: "operator") }
        return Actor(kind: "device", id: device.id, name: device.name)
    }

    /// Throws 403 unless the responder may answer on the machine.
    package func require(on machine: MachineID) throws(APIError) {
        guard principal.may(.respond, on: machine) else {
            throw .insufficientScope(principal.lacking(.respond, on: machine))
        }
    }
}

extension RouteRequest {
    package func responder() throws(APIError) -> Responder {
        guard let principal else {
            throw APIError(.authentication, status: 401, code: "missing_credential", message: "A credential is needed.")
        }
        return Responder(principal)
    }
}
