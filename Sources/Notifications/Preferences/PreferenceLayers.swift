internal import EventModel

/// Stored preferences, read once for many decisions. A layer that cannot be decoded counts as empty.
struct PreferenceLayers {
    private let layers: [PushScope: PushPreferences]

    init(_ stored: [PushPreferenceLayer]) {
        layers = Dictionary(
            stored.compactMap { layer in
                (try? PushPreferences(json: layer.settings)).map { (layer.scope, $0) }
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    func resolved(device: DeviceID?, workspaceID: String?, sessionID: String?) -> ResolvedPreferences {
        ResolvedPreferences.resolved(
            everyone: layers[PushScope(.default)],
            device: device.flatMap { layers[PushScope(.device, String($0.rawValue))] },
            project: workspaceID.flatMap { layers[PushScope(.project, $0)] },
            session: sessionID.flatMap { layers[PushScope(.session, $0)] }
        )
    }
}
