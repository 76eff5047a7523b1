extension Principal {
    /// Whether the principal may give a device a capability. A device with `administer` cannot give `administer` to
    /// another device, and grants itself nothing. Otherwise a stolen device could create others that remain after it is
    /// revoked.
    ///
    /// - Parameter device: `nil` means a device that is not yet paired.
    public func mayGrant(_ capability: Capability, to device: DeviceID?) -> Bool {
        guard may(.administer), Capability.ofDevices.contains(capability) else { return false }
        guard let own = self.device else { return true }
        return capability != .administer && device != own
    }
}
