// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
]

/// As the server is linked: docs/performance.md. Foundation would need flags for the whole build.
let staticLibraries = LinkerSetting.unsafeFlags(["-static-stdlib"], .when(platforms: [.linux], configuration: .release))

/// A program in the folder of its name. It may import the given products of the project, and swift-log.
func benchmark(_ name: String, _ products: [String], importsFoundation: Bool = false) -> Target {
    .executableTarget(
        name: name,
        dependencies: products.map { .product(name: $0, package: "claude-monitor") } + [
            .product(name: "Logging", package: "swift-log")
        ],
        path: name,
        swiftSettings: settings,
        linkerSettings: importsFoundation ? [] : [staticLibraries]
    )
}

let package = Package(
    name: "claude-monitor-benchmarks",
    dependencies: [
        .package(name: "claude-monitor", path: ".."),
        // The project's own Package.swift decides on the version.
        .package(url: "https://github.com/apple/swift-log", from: "1.0.0"),
    ],
    targets: [
        benchmark("FanoutBench", ["CMimalloc", "EventModel", "HTTPModel", "Listener", "WSFanout"]),
        benchmark("MaskingBench", ["EventIngest", "EventModel", "HTTPModel", "Masking"], importsFoundation: true),
        benchmark("PushBench", ["EventModel", "PushGateway", "Signing"], importsFoundation: true),
    ],
    cxxLanguageStandard: .cxx17
)
