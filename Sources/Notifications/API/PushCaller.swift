internal import API
package import EventModel
internal import HTTPModel

/// The caller of a push route, and the device that the call is about. A device asks about itself. The operator, and a
/// device with `administer`, may name another device.
package struct PushCaller: Sendable {
    package let principal: Principal
    /// The device that the request names. Ignored if the caller may not administer.
    let named: String?
    /// For the audit log.
    package let peer: String
    package let requestID: String

    package init(_ principal: Principal, named: String?, peer: String, requestID: String) {
        self.principal = principal
        self.named = named
        self.peer = peer
        self.requestID = requestID
    }

    /// `nil` for the operator and for API keys.
    var device: DeviceID? { principal.device }
    /// Whether the credential may also change settings of other devices.
    var mayAdminister: Bool { principal.may(.administer) }

    /// The device that the call concerns.
    func meant() throws(APIError) -> DeviceID {
        if let device, named == nil || !mayAdminister { return device }
        try requireDevice()
        guard let named else {
            throw .invalid("missing_parameter", "Name the device: device_id.", param: "device_id")
        }
        guard let number = Int64(named), number > 0 else {
            throw .invalid("invalid_parameter", "'device_id' must be the number of a device.", param: "device_id")
        }
        return DeviceID(rawValue: number)
    }

    /// Throws 403 for an API key, which receives no pushes and speaks for no device.
    func requireDevice() throws(APIError) {
        guard !principal.isProgram else { throw .notADevice }
    }

    fileprivate func owns(_ scope: PushScope) -> Bool {
        scope.kind == .device && device.map { String($0.rawValue) } == scope.subject
    }
}

/// A layer of preferences in the form that clients use.
package struct PushLayer: Sendable, Equatable {
    /// `nil` means the layer of all devices.
    var kind: String?
    /// Id of the device, project or session. `nil` means the calling device.
    var id: String?

    package init(kind: String?, id: String?) {
        self.kind = kind
        self.id = id
    }

    /// Returns the layer if the caller may read it. A device may read every layer except those of other devices.
    func readable(by caller: PushCaller) throws(APIError) -> PushScope {
        let scope = try scope(for: caller)
        guard scope.kind != .device || caller.owns(scope) || caller.mayAdminister else {
            throw APIError(
                .permission,
                status: 403,
                code: "not_your_device",
                message: "A device sees and changes its own preferences only.",
                param: "id"
            )
        }
        return scope
    }

    /// Returns the layer if the caller may change it: its own layer, or any layer with the right to administer.
    func changeable(by caller: PushCaller) throws(APIError) -> PushScope {
        let scope = try readable(by: caller)
        guard caller.owns(scope) || caller.mayAdminister else {
            let reason = "This layer concerns other devices, too. \(caller.principal.lacking(.administer))"
            throw .insufficientScope(reason, param: "scope")
        }
        return scope
    }

    private func scope(for caller: PushCaller) throws(APIError) -> PushScope {
        guard let kind = PushScope.Kind(rawValue: kind ?? "default") else {
            throw .invalid("invalid_parameter", "'scope' must be default, device, project or session.", param: "scope")
        }
        guard id != "" else { throw PushLayer.missingID }
        switch kind {
        case .default: return PushScope(.default)
        case .device:
            guard let id = id ?? caller.device.map({ String($0.rawValue) }), let number = Int64(id), number > 0 else {
                throw PushLayer.missingID
            }
            return PushScope(.device, String(number))
        case .project, .session:
            guard let id, id.utf8.count <= 256 else { throw PushLayer.missingID }
            return PushScope(kind, id)
        }
    }

    private static var missingID: APIError {
        .invalid("missing_parameter", "Name whose preferences: id.", param: "id")
    }
}
