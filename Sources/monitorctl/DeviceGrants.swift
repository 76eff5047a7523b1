import ArgumentParser
import Foundation

/// Grants of a device.
extension DeviceCommand {
    /// Each capability is granted separately: none implies another.
    enum Capability: String, CaseIterable, ExpressibleByArgument {
        case read
        case respond
        case control
        case administer
    }

    struct Grant: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Grant a capability to a device.",
            discussion: """
                read: see and subscribe. respond: answer prompts and send messages. control: drive machines. \
                administer: change keys, devices and settings. The grant takes effect at once, also on open \
                connections. The named machines replace the previous ones of the capability.
                """
        )

        @Argument(help: "The device's id, as `monitorctl device list` shows it.")
        var id: String

        @Argument(help: "The capability to grant.")
        var capability: Capability

        @Option(help: "Grant it only on the machine with this name; may be repeated. Default: all machines.")
        var machine: [String] = []

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let body = machine.isEmpty ? nil : try JSONEncoder().encode(["machines": machine])
            try await DeviceCommand.change("PUT", id, capability, body: body, client, connection)
        }
    }

    struct RevokeGrant: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke-grant",
            abstract: "Withdraw a capability from a device.",
            discussion: "It takes effect at once. The server closes the connections of a device that may not read."
        )

        @Argument(help: "The device's id, as `monitorctl device list` shows it.")
        var id: String

        @Argument(help: "The capability to withdraw, on all machines.")
        var capability: Capability

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            try await DeviceCommand.change("DELETE", id, capability, body: nil, client, connection)
        }
    }

    private static func change(
        _ method: String,
        _ id: String,
        _ capability: Capability,
        body: Data?,
        _ client: HTTPClient,
        _ connection: ConnectionOptions
    ) async throws {
        guard let number = Int64(id) else { throw CommandError.refused("'\(id)' is not the id of a device") }
        let path = "/v1/devices/\(number)/grants/\(capability.rawValue)"
        let reply = try await client.expectSuccess(client.send(method, path, body: body))
        if connection.json { return try Output.document(reply.body) }
        let device = try ServerJSON.decode(DeviceList.Device.self, reply.body)
        let rights = device.rights
        try Output.line("device \(number) may \(rights == "-" ? "do nothing" : rights)")
    }
}

/// The grants of a pairing, as options on the command line.
struct PairingRights: ParsableArguments {
    @Flag(help: "The device may only read. Without this option it may also answer prompts, on all machines.")
    var readOnly = false

    @Option(
        help: """
            The device may answer prompts and send messages only on this machine, by name; may be repeated. It still \
            sees the events, conversations and figures of all machines.
            """
    )
    var machine: [String] = []

    @Flag(help: "The device may administer, too: change keys, devices and settings.")
    var administer = false

    func validate() throws {
        if readOnly, administer || !machine.isEmpty {
            throw ValidationError("--read-only excludes --administer and --machine")
        }
    }

    private struct Wish: Encodable {
        var capabilities: [String]
        var machines: [String]?
    }

    /// The body of `POST /v1/pairing`, or `nil` for the default grants.
    var body: Data? {
        get throws {
            guard readOnly || administer || !machine.isEmpty else { return nil }
            let more = readOnly ? [] : administer ? ["respond", "administer"] : ["respond"]
            return try JSONEncoder().encode(
                Wish(capabilities: ["read"] + more, machines: machine.isEmpty ? nil : machine)
            )
        }
    }
}

extension DeviceList.Device {
    var rights: String { CapabilityWords.list(capabilities, machines) }
}

enum CapabilityWords {
    /// `read, respond (2 machines)`.
    static func list(_ capabilities: [String]?, _ machines: [String: [String]?]?) -> String {
        let words = (capabilities ?? []).map { capability in
            guard let machines = machines?[capability] ?? nil else { return capability }
            return "\(capability) (\(machines.count) machine\(machines.count == 1 ? "" : "s"))"
        }
        return words.isEmpty ? "-" : words.joined(separator: ", ")
    }
}
