internal import Glibc

/// The account that runs the PostgreSQL programs.
struct ServiceIdentity: Sendable, Equatable {
    let userID: UInt32
    let groupID: UInt32
    /// All groups, including `groupID`.
    let groupIDs: [UInt32]
    /// True if this process runs as another account (root), so its children must change to this account.
    let needsSwitch: Bool

    static var processUserID: UInt32 { geteuid() }

    /// This process's own account or, as root, `serviceUser` from the user database. Returns `nil` if the user does
    /// not exist or has root's id.
    init?(serviceUser: String) {
        guard geteuid() == 0 else {
            userID = geteuid()
            groupID = getegid()
            groupIDs = Self.ownGroups()
            needsSwitch = false
            return
        }
        var entry = unsafe passwd()
        var buffer = [CChar](repeating: 0, count: 16384)
        var found: UnsafeMutablePointer<passwd>?
        // getpwnam_r(3) fills `entry` with pointers into `buffer`. Only numbers are read from it.
        let code = unsafe getpwnam_r(serviceUser, &entry, &buffer, buffer.count, &found)
        guard code == 0, unsafe found != nil, unsafe entry.pw_uid != 0 else { return nil }
        userID = unsafe entry.pw_uid
        groupID = unsafe entry.pw_gid
        groupIDs = Self.groups(of: serviceUser, primary: groupID)
        needsSwitch = true
    }

    init(userID: UInt32, groupID: UInt32, groupIDs: [UInt32], needsSwitch: Bool) {
        self.userID = userID
        self.groupID = groupID
        self.groupIDs = groupIDs
        self.needsSwitch = needsSwitch
    }

    private static func ownGroups() -> [UInt32] {
        var groups = [gid_t](repeating: 0, count: 1024)
        let count = unsafe getgroups(Int32(groups.count), &groups)
        return [getegid()] + groups.prefix(Int(max(0, count)))
    }

    private static func groups(of user: String, primary: UInt32) -> [UInt32] {
        var groups = [gid_t](repeating: 0, count: 1024)
        var count = Int32(groups.count)
        guard unsafe getgrouplist(user, primary, &groups, &count) >= 0 else { return [primary] }
        return Array(groups.prefix(Int(count)))
    }
}
