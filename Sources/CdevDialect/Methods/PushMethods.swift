package import EventModel
package import JSON
import RPC

/// A call about push tokens and preferences, with its caller.
package struct RPCPushCall: Sendable, Equatable {
    package enum Request: Sendable, Equatable {
        case offer
        case tokens
        /// The device's push address, in the form that `POST /v1/push/tokens` accepts.
        case register(JSONValue)
        /// `nil` removes all tokens of the device.
        case removeTokens(id: String?)
        case preferences(scope: String?, id: String?)
        case setPreferences(scope: String?, id: String?, JSONValue)
        case removePreferences(scope: String?, id: String?)

        /// The method of the call. For registrations, the general one.
        package var method: String {
            switch self {
            case .offer: "push/offer"
            case .tokens: "push/token/list"
            case .register: "push/token/register"
            case .removeTokens: "push/token/remove"
            case .preferences: "push/preferences/get"
            case .setPreferences: "push/preferences/set"
            case .removePreferences: "push/preferences/remove"
            }
        }
    }

    /// The owner of the WebSocket.
    package var principal: Principal
    /// The owner that the operator names.
    package var named: String?
    package var request: Request
}

/// `push/offer`, `push/token/*`, `push/subscription/register`, `push/preferences/*`.
enum PushMethods {
    static let all = [
        ask("push/offer", "Whether and how this server pushes.", [], as: "PushOffer") { _ in .offer },
        ask(
            "push/token/list",
            "The calling device's tokens; all of them for the operator.",
            [],
            as: "PushTokenList"
        ) { _ in .tokens },
        ask(
            "push/token/register",
            "Registers where the calling device's pushes go.",
            token + registration,
            as: "PushToken"
        ) { .register($0.object) },
        ask(
            "push/subscription/register",
            "Registers the subscription of a browser.",
            subscription + registration,
            as: "PushToken"
        ) { params in
            let members = params.members.filter { $0.0 != "kind" }
            return .register(.object(members + [("kind", .string("webpush"))]))
        },
        ask(
            "push/token/remove",
            "Removes one token of the calling device, or all.",
            [.text("token_id", "Which; all of the device where it is left out."), device],
            as: "RemovedPushTokens"
        ) { params throws(RPCError) in .removeTokens(id: try params.string("token_id")) },
        ask(
            "push/preferences/get",
            "One layer, and the preferences that result from it and the layers below.",
            layer,
            as: "PushPreferencesAnswer",
            errors: [.notAllowed]
        ) { params throws(RPCError) in .preferences(scope: try params.string("scope"), id: try params.string("id")) },
        ask(
            "push/preferences/set",
            "Replaces one layer: the caller's own, or any with 'administer'.",
            layer + [.object("preferences", [], "What the layer says from now on.").required],
            as: "PushPreferencesAnswer",
            errors: [.notAllowed]
        ) { params throws(RPCError) in
            let settings = params.value("preferences") ?? .object([])
            return .setPreferences(scope: try params.string("scope"), id: try params.string("id"), settings)
        },
        ask(
            "push/preferences/remove",
            "Deletes a layer's preferences: the caller's own, or any with 'administer'.",
            layer,
            as: "PushPreferencesAnswer",
            errors: [.notAllowed]
        ) { params throws(RPCError) in
            .removePreferences(scope: try params.string("scope"), id: try params.string("id"))
        },
    ]

    private static func ask(
        _ method: String,
        _ summary: String,
        _ parameters: [RPCParameter],
        as result: SchemaName,
        errors: [RPCErrorKind] = [],
        _ request: @escaping @Sendable (RPCParams) throws(RPCError) -> RPCPushCall.Request
    ) -> CdevMethod {
        CdevMethod.query(
            method,
            RPCDescription(summary, parameters, as: result, errors: errors),
            run: { call async throws(RPCError) in
                let push = RPCPushCall(
                    principal: call.context.principal,
                    named: try call.params.string("device_id"),
                    request: try request(call.params)
                )
                let answer = try await call.services.push(push)
                return RPCAnswer(.object { $0.raw(answer) })
            }
        )
    }

    private static let device = RPCParameter.text("device_id", "For the operator: which device.")

    private static let token: [RPCParameter] = [
        .choice("kind", ["activity_start", "activity_update", "alert"], "'alert' where it is left out."),
        .text("token", "The device token, in hexadecimal.", limit: 1024).required,
        .choice("environment", ["development", "sandbox", "production"], "What the app was built for.").required,
        .text("topic", "The app's bundle id, where it is not the server's."),
        .text("session_id", "Of an 'activity_update': the session that the Live Activity shows."),
        .flag("frequent_updates", "Whether the person allows frequent updates of Live Activities."),
    ]

    private static let subscription: [RPCParameter] = [
        .text("endpoint", "The subscription's URL.", limit: 2048).required,
        .object(
            "keys",
            [
                .text("p256dh", "The browser's public key, base64url.").required,
                .text("auth", "The authentication secret, base64url.").required,
            ],
            "The subscription's keys."
        ).required,
    ]

    private static let registration: [RPCParameter] = [
        .text("encryption_key", "32 bytes in base64: contents are sealed with it."),
        .text("locale", "BCP 47.", limit: 128),
        .text("time_zone", "IANA time zone of the quiet hours.", limit: 128),
        .text("app_version", "For people.", limit: 128), device,
    ]

    private static let layer: [RPCParameter] = [
        .choice("scope", ["default", "device", "project", "session"], "The layer; 'default' where it is left out."),
        .text("id", "Of the device, project or session; the calling device where it is left out."),
    ]
}
