// swift-tools-version: 6.0
import PackageDescription

// The app's half of Counterfoil. It has no dependencies, and its oldest systems are older than the server's: platforms
// are set for a whole package, so it is one of its own.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "counterfoil-client",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [
        .library(name: "CounterfoilClient", targets: ["CounterfoilClient"]),
        .library(name: "CounterfoilStoreKit", targets: ["CounterfoilStoreKit"]),
        .library(name: "CounterfoilClientTesting", targets: ["CounterfoilClientTesting"]),
    ],
    targets: [
        .target(name: "CounterfoilClient", swiftSettings: settings),
        .target(name: "CounterfoilStoreKit", dependencies: ["CounterfoilClient"], swiftSettings: settings),
        .target(name: "CounterfoilClientTesting", dependencies: ["CounterfoilClient"], swiftSettings: settings),
        .executableTarget(
            name: "client-benchmark", dependencies: ["CounterfoilClient", "CounterfoilClientTesting"],
            path: "Benchmarks", swiftSettings: settings),
        // A device, a server and three customers, for the tests and for the long run of `make client-test`.
        .target(
            name: "ClientWorld", dependencies: ["CounterfoilClient", "CounterfoilClientTesting"], path: "Tests/World",
            swiftSettings: settings),
        .executableTarget(
            name: "client-histories", dependencies: ["ClientWorld"], path: "Tests/Histories", swiftSettings: settings),
        // A store, a server and three devices, as processes of the main package: it is built first, and not depended on.
        .target(
            name: "EndToEnd", dependencies: ["CounterfoilClient", "CounterfoilClientTesting", "ClientWorld"],
            path: "Tests/EndToEnd", swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["CounterfoilClient", "CounterfoilClientTesting", "EndToEnd"], swiftSettings: settings),
        .testTarget(
            name: "CounterfoilClientTests",
            dependencies: ["CounterfoilClient", "CounterfoilClientTesting", "ClientWorld"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6])
