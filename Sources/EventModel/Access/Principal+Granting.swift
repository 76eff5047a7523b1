extension Principal {
    /// Whether it may give a device a capability. A device with `administer` makes no other device its equal and grants
    /// itself nothing: one that was stolen could otherwise make others that outlive its revocation.
    /// - Parameter device: `nil`: one that is yet to be paired.
    public func mayGrant(_ capability: Capability, to device: DeviceID?) -> Bool {
        guard may(.administer), Capability.ofDevices.contains(capability) else { return false }
        guard let own = self.device else { return true }
        return capability != .administer && device != own
    }
}
