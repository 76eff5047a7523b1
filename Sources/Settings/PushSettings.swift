internal import EventModel
internal import Host
internal import Notifications
internal import PushGateway

extension SettingsReader {
    mutating func push() -> PushConfiguration {
        let apns = PushConfiguration.APNs(&self)
        return PushConfiguration(apns: apns, webPush: PushConfiguration.WebPush(&self))
    }
}

extension PushConfiguration.APNs {
    /// Returns `nil` if nothing is set, or after an error, which the reader has recorded.
    fileprivate init?(_ reader: inout SettingsReader) {
        let caFile = reader.readableFile(.apnsCAFile)
        let port = reader.integer(.apnsPort, in: 1...65535, default: 443)
        let probe = DeliveryProbe.Settings(&reader)
        let needed: [Setting] = [.apnsKeyFile, .apnsKeyID, .apnsTeamID, .apnsTopic]
        let isWanted = needed.contains { reader.text($0) != nil }
        guard isWanted else {
            if probe != nil { reader.fault(.apnsCanaryDevice, "needs \(Setting.apnsKeyFile.rawValue)") }
            return nil
        }
        for setting in needed where reader.text(setting) == nil {
            reader.fault(setting, "is missing: set all of \(needed.map(\.rawValue).joined(separator: ", ")), or none")
        }
        for setting in [Setting.apnsKeyID, .apnsTeamID] {
            guard let text = reader.text(setting) else { continue }
            let isIdentifier = text.utf8.count == 10 && text.utf8.allSatisfy(\.isLetterOrDigit)
            if !isIdentifier { reader.fault(setting, "must be 10 letters and digits") }
        }
        if let topic = reader.text(.apnsTopic),
            topic.utf8.count > 255 || !topic.utf8.allSatisfy({ $0.isLetterOrDigit || $0 == 0x2D || $0 == 0x2E })
        {
            reader.fault(.apnsTopic, "must be a bundle id, such as com.example.app")
        }
        guard let file = reader.text(.apnsKeyFile), let keyID = reader.text(.apnsKeyID),
            let teamID = reader.text(.apnsTeamID), let topic = reader.text(.apnsTopic)
        else { return nil }
        let key: ProviderKey
        do throws(ProviderKeyError) {
            key = try ProviderKey(keyFile: InstalledFiles.target(of: file), keyID: keyID, teamID: teamID)
        } catch {
            reader.fault(.apnsKeyFile, error.description)
            return nil
        }
        self.init(key: key, topic: topic, port: UInt16(port))
        host = reader.text(.apnsHost)
        self.caFile = caFile
        self.probe = probe
    }
}

extension DeliveryProbe.Settings {
    /// Returns `nil` if no device is set, or after an error, which the reader has recorded.
    fileprivate init?(_ reader: inout SettingsReader) {
        let minutes = reader.integer(.apnsCanaryMinutes, in: DeliveryProbe.Settings.minutesRange, default: 60)
        guard let text = reader.text(.apnsCanaryDevice) else { return nil }
        guard let number = Int64(text), number > 0 else {
            reader.fault(.apnsCanaryDevice, "must be the id of a device, as `monitorctl device list` shows it")
            return nil
        }
        self.init(device: DeviceID(rawValue: number), minutes: minutes)
    }
}

extension PushConfiguration.WebPush {
    fileprivate init?(_ reader: inout SettingsReader) {
        let caFile = reader.readableFile(.webPushCAFile)
        let isPrivate = reader.choice(.webPushPrivate, ["yes": true, "no": false], default: false)
        guard let text = reader.text(.webPushSubject) else { return nil }
        guard let subject = VAPIDSubject(text) else {
            reader.fault(.webPushSubject, "must be a mailto: or https: URL with a public host")
            return nil
        }
        self.init(subject: subject)
        self.caFile = caFile
        if isPrivate {
            rules.allowsPrivateAddresses = true
            rules.ports = [1...65535]
        }
    }
}

extension SettingsReader {
    fileprivate mutating func readableFile(_ setting: Setting) -> String? {
        guard let path = text(setting) else { return nil }
        if !InstalledFiles.canRead(path) { fault(setting, "'\(path)' does not exist or cannot be read") }
        return path
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
