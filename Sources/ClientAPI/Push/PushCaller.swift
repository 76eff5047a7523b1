public import EventModel
internal import HTTPModel

/// Who asks about pushes: a device, which means itself, or the operator, who names one.
public struct PushCaller: Sendable {
    /// `nil`: the operator.
    var device: DeviceID?
    /// Whom the operator names; of a device it is passed over.
    var named: String?

    public init(device: DeviceID?, named: String?) {
        self.device = device
        self.named = named
    }

    /// The device that it is about.
    func meant() throws(APIError) -> DeviceID {
        if let device { return device }
        guard let named else {
            throw .invalid("missing_parameter", "Name the device: device_id.", param: "device_id")
        }
        guard let number = Int64(named), number > 0 else {
            throw .invalid("invalid_parameter", "'device_id' must be the number of a device.", param: "device_id")
        }
        return DeviceID(rawValue: number)
    }
}

/// A layer of preferences as clients name it.
public struct PushLayer: Sendable, Equatable {
    /// `nil`: the layer of all devices.
    var kind: String?
    /// Of the device, project or session; `nil`: the device that asks.
    var id: String?

    public init(kind: String?, id: String?) {
        self.kind = kind
        self.id = id
    }

    /// A device may not touch another's layer.
    func scope(for caller: PushCaller) throws(APIError) -> PushScope {
        guard let kind = PushScope.Kind(rawValue: kind ?? "default") else {
            throw .invalid("invalid_parameter", "'scope' must be default, device, project or session.", param: "scope")
        }
        guard id != "" else { throw PushLayer.missingID }
        let id = id ?? ""
        switch kind {
        case .default: return PushScope(.default)
        case .device:
            let own = caller.device.map { String($0.rawValue) }
            if let own, id.isEmpty || id == own { return PushScope(.device, own) }
            guard caller.device == nil else {
                throw APIError(
                    .permission,
                    status: 403,
                    code: "not_your_device",
                    message: "A device sees and changes its own preferences only.",
                    param: "id"
                )
            }
            guard let number = Int64(id), number > 0 else { throw PushLayer.missingID }
            return PushScope(.device, String(number))
        case .project, .session:
            guard !id.isEmpty, id.utf8.count <= 256 else { throw PushLayer.missingID }
            return PushScope(kind, id)
        }
    }

    private static var missingID: APIError {
        .invalid("missing_parameter", "Name whose preferences: id.", param: "id")
    }
}
