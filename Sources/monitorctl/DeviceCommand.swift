import ArgumentParser
import Foundation
import QREncoding

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Pair, list, rename and revoke phones and browsers, and change their capabilities.",
        subcommands: [
            Pair.self, Pending.self, Approve.self, Reject.self, List.self, Rename.self, Grant.self, RevokeGrant.self,
            Revoke.self,
        ]
    )

    struct Pair: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a QR code and a short code for one device, and wait until the device has used one of them.",
            discussion: """
                Both are good once, for five minutes. With --json they are printed as the server \
                made them, and nothing waits. With --browser it shows a link instead, with which a \
                browser signs in to the web app; with --json, its url. What the device may do is said \
                here and not by the device; monitorctl device grant changes it later.
                """
        )

        @Option(help: "The address at which the device reaches the server, if it is not --url.")
        var reach: String?

        @Flag(help: "Show a link that signs a browser in.")
        var browser = false

        @OptionGroup var rights: PairingRights

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let address = try DeviceCommand.address(reach, otherwise: client.server)
            let reply = try await client.expectSuccess(client.send("POST", "/v1/pairing", body: rights.body))
            if connection.json, !browser { return try Output.document(reply.body) }
            let pairing = try ServerJSON.decode(NewPairing.self, reply.body)
            if browser {
                let link = BrowserLink(pairing, address: address)
                if connection.json { return try Output.document(link.document) }
                try link.show()
            } else {
                try show(pairing, address)
            }
            if ["localhost", "127.0.0.1", "::1"].contains(address.host ?? "") {
                Output.note("\(address.absoluteString) works only on this machine: see --reach for other devices.")
            }
            let device = try await PairingWait(client: client, pairing: pairing).device()
            try Output.line("paired \(TerminalText.printable(device.name ?? "device")), id \(device.id.text)")
        }

        private func show(_ pairing: NewPairing, _ address: URL) throws {
            let invitation = try PairingInvitation(pairing, address: address).text
            if let code = QRCode(Array(invitation.utf8)) {
                let style = TerminalStyle.ofStandardOutput()
                for line in QRTerminal.lines(code, isColored: style.isColoured) { try Output.line(line) }
            }
            try Output.line("address     \(address.absoluteString)")
            try Output.line("short code  \(TerminalText.printable(pairing.code))")
        }
    }

    struct List: ServerCommand {
        static let configuration = CommandConfiguration(abstract: "List the paired devices, also revoked ones.")

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let body = try await client.get("/v1/devices")
            if connection.json { return try Output.document(body) }
            let devices = try ServerJSON.decode(DeviceList.self, body).devices
            let now = Date()
            try Table.show(
                columns: [
                    .init(heading: "ID"), .init(heading: "NAME"), .init(heading: "PLATFORM"),
                    .init(heading: "PAIRED", alignment: .right), .init(heading: "SEEN", alignment: .right),
                    .init(heading: "STATE"), .init(heading: "MAY"),
                ],
                rows: devices.map { device in
                    [
                        Table.Cell(device.id.text), Table.Cell(device.name ?? "-"), Table.Cell(device.platform ?? "-"),
                        Table.Cell(Moments.age(of: device.createdAt, now: now)),
                        Table.Cell(Moments.age(of: device.lastSeenAt, now: now)),
                        Table.Cell(
                            (device.state ?? "-").replacingOccurrences(of: "_", with: " "),
                            style: device.state == "active" ? .green : .dim
                        ),
                        Table.Cell(device.rights),
                    ]
                },
                ifEmpty: "No devices yet: monitorctl device pair"
            )
        }
    }

    struct Rename: ServerCommand {
        static let configuration = CommandConfiguration(abstract: "Rename a device.")

        @Argument(help: "The device's id, as `monitorctl device list` shows it.")
        var id: String

        @Argument(help: "The new name, at most 100 characters.")
        var name: String

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            guard let number = Int64(id) else { throw CommandError.refused("'\(id)' is not the id of a device") }
            let body = try JSONEncoder().encode(["name": name])
            let reply = try await client.expectSuccess(client.send("PATCH", "/v1/devices/\(number)", body: body))
            if connection.json { return try Output.document(reply.body) }
            try Output.line("renamed \(number) to \(TerminalText.printable(name))")
        }
    }

    struct Revoke: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a device. The server then closes its connections and refuses its tokens."
        )

        @Argument(help: "The device's id, as `monitorctl device list` shows it.")
        var id: String

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            guard let number = Int64(id) else { throw CommandError.refused("'\(id)' is not the id of a device") }
            let reply = try await client.expectSuccess(client.send("DELETE", "/v1/devices/\(number)"))
            if connection.json { return try Output.document(reply.body) }
            try Output.line("revoked \(number)")
        }
    }

    /// Returns the given address after validating it, or the address that the command line tool uses itself.
    static func address(_ given: String?, otherwise server: URL) throws(CommandError) -> URL {
        guard let given else { return server }
        guard let url = URL(string: given), url.scheme == "http" || url.scheme == "https", url.host?.isEmpty == false,
            url.user == nil, url.query == nil
        else { throw .refused("--reach must look like http://host:port or https://host") }
        return url
    }
}
