import Foundation
import Testing

@Suite struct `Privacy of the client library` {
    /// Names of Foundation and UIKit for what the article "Proactive restore" says the client does not read.
    private static let names = [
        "UserDefaults", "creationDate", "modificationDate", "ModificationDate", "attributesOfItem", "resourceValues",
        "attributesOfFileSystem", "AvailableCapacity", "systemUptime", "mach_absolute_time", "activeInputModes",
        "identifierForVendor", "advertisingIdentifier", "stat(",
    ]

    @Test func `The client reads no user defaults, file timestamps, disk space, uptime or device identifiers`() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources")
        var count = 0
        for target in ["CounterfoilClient", "CounterfoilStoreKit"] {
            let folder = sources.appendingPathComponent(target)
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            for file in files where file.hasSuffix(".swift") {
                count += 1
                let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
                #expect(Self.names.filter { text.contains($0) } == [], "in \(file)")
            }
        }
        #expect(count > 15)
    }
}
