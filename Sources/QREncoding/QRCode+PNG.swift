extension QRCode {
    /// A PNG with the quiet zone around the code. Modules are whole pixels, as many as fit and at least one; what is
    /// left over widens the quiet zone.
    ///
    /// - Parameter side: in pixels; a picture that would be too small for the modules is as large as they need.
    package func png(side: Int) -> [UInt8] {
        let modules = size + 2 * QRCode.quietZone
        let side = max(side, modules)
        let scale = side / modules
        let margin = (side - size * scale) / 2
        func module(_ pixel: Int) -> Int { pixel < margin ? -1 : (pixel - margin) / scale }
        return PNGEncoder.encode(side: side) { column, row in !self[module(column), module(row)] }
    }
}
