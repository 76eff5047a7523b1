import EventModel
import FanoutSamples
import JSON
import RPC
import WSFanout

@testable import CdevDialect

let context = CdevContext(
    window: StreamWindow(epoch: epoch, oldest: 10, head: 41),
    serverVersion: "1.2.3",
    isHealthy: true,
    now: start,
    principal: .admin
)

/// A device that may read.
func reader(_ device: DeviceID = DeviceID(rawValue: 5), _ more: [Capability] = []) -> Principal {
    let rights = DeviceRights(name: "phone", owner: nil, grants: Grants([.read] + more))
    return Principal(.device(DeviceClaims(device: device, refusedFrom: start.adding(seconds: 900)), rights))
}

func newSession() -> RPCSession<CdevHost> {
    CdevHost.session(clientID: "c-1", openedAt: start, parse: parse)
}

func readySession() -> RPCSession<CdevHost> {
    var session = newSession()
    _ = session.receive([UInt8](#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#.utf8), in: context)
    return session
}

func machine(_ number: Int64, _ name: String, seen: Bool = true) -> MachineRecord {
    MachineRecord(
        id: MachineID(rawValue: number),
        name: name,
        reportedName: nil,
        createdAt: start,
        lastSeenAt: seen ? start : nil,
        sessionCount: 0
    )
}

func workspace(_ id: String, path: String = "/home/dev/app") -> WorkspaceRecord {
    WorkspaceRecord(
        id: id,
        name: String(path.split(separator: "/").last ?? ""),
        path: path,
        machineName: "studio",
        createdAt: start,
        lastActivityAt: start
    )
}
