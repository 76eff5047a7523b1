package import EventModel
package import RPC
package import WSFanout

/// cdev's interface over one client's WebSocket.
package enum CdevHost: RPCHost {
    package typealias Context = CdevContext
    package typealias Services = CdevServices

    package struct State: Sendable {
        /// Identifies the socket to its own client and to others.
        package let clientID: String
        var stream = ClientStream()
    }

    package enum Action: Sendable, Equatable {
        case hub(HubAction)
        /// Send the dialogs of open prompts, which a client of the cdev dialect may have missed.
        case remind(CdevReminder)
        /// Send the notice after the messages.
        case tell(SessionIDNotice)
    }

    /// Limit for the payloads of one answer, far below what a client may leave unread.
    static let maxPayloadBytes = 512 << 10
    /// The number of seconds in which a socket must call `initialize`.
    private static let initializeSeconds = 10.0

    /// - Parameter isPatient: whether a client may take its time before its first call.
    package static func session(
        clientID: String,
        openedAt: Timestamp,
        isPatient: Bool = false,
        methods: RPCMethodTable<CdevHost> = .standard,
        parse: @escaping RPCPeer.Parser
    ) -> RPCSession<CdevHost> {
        RPCSession(
            state: State(clientID: clientID),
            methods: methods,
            opening: (
                LifecycleMethods.initialize.name,
                isPatient ? Timestamp(microseconds: .max) : openedAt.adding(seconds: initializeSeconds)
            ),
            parse: parse
        )
    }
}

typealias CdevMethod = RPCMethod<CdevHost>
typealias CdevCall = RPCCall<CdevHost>
typealias CdevQuery = RPCQuery<CdevHost>

/// The session whose dialogs a client may have missed.
package enum CdevReminder: Sendable, Equatable {
    case session(String)
    /// The one that the device showed before it connected again.
    case lastSession
}

extension RPCSession<CdevHost> {
    package var speaksCdev: Bool { state.stream.dialect == .cdev }
}

extension RPCCall<CdevHost> {
    var stream: ClientStream {
        get { state.stream }
        _modify { yield &state.stream }
    }

    mutating func act(_ action: HubAction) { act(.hub(action)) }

    mutating func remind(_ reminder: CdevReminder) {
        if stream.dialect == .cdev { act(.remind(reminder)) }
    }
}

extension RPCQuery<CdevHost> {
    var dialect: Dialect { state.stream.dialect }
    var clock: @Sendable () -> Timestamp { services.clock }
}

extension RPCOutput<CdevHost> {
    /// What the hub does after the messages.
    package var hubActions: [HubAction] {
        let all = actions.compactMap { if case .hub(let action) = $0 { action } else { nil } }
        return end.map { all + [.close($0.closeCode)] } ?? all
    }

    package var notices: [SessionIDNotice] {
        actions.compactMap { if case .tell(let notice) = $0 { notice } else { nil } }
    }

    package var reminders: [CdevReminder] {
        actions.compactMap { if case .remind(let reminder) = $0 { reminder } else { nil } }
    }
}

extension RPCEnd {
    fileprivate var closeCode: CloseCode {
        switch self {
        case .finished: .normal
        case .notOpened: .notInitialized
        case .flooded: .tooManyRequests
        }
    }
}
