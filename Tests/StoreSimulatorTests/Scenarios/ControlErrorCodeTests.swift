import Foundation
import StoreSimulator
import TestSupport
import Testing
import Yams

@Suite struct ControlErrorCodeTests {
    /// The codes of errors that prevent the start of a simulator, and of the web pages.
    private static let others: Set = [
        "cannot_listen", "directory_in_use", "invalid_address", "no_signer", "form_expired", "not_confirmed",
        "unknown_device", "unknown_scenario", "unknown_text",
    ]

    @Test func `The description of the control API lists the codes of all errors`() throws {
        let document = try #require(try Yams.load(yaml: ControlDescription.text) as? [String: Any])
        let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
        let listed = try #require((schemas["ErrorCode"] as? [String: Any])?["examples"] as? [String])
        let codes = try Self.codes().subtracting(Self.others)
        #expect(Set(listed) == codes)
        #expect(Set(listed).count == listed.count)
    }

    /// Returns the codes in the sources of the simulator: those of its two error types, and those of failures.
    private static func codes() throws -> Set<String> {
        let root = Fixtures.package.appending(path: "Sources/StoreSimulator")
        var codes: Set<String> = ["invalid_request"]
        for file in try FileManager.default.subpathsOfDirectory(atPath: root.path) where file.hasSuffix(".swift") {
            let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            let failures = text.matches(of: /(?:ControlFailure|self\.init)\(\s*[0-9]{3}, "([a-z_]+)"/)
            codes.formUnion(failures.map { String($0.output.1) })
            guard file.hasSuffix("StoreError.swift") || file.hasSuffix("SimulatorError.swift") else { continue }
            let values = text.matches(of: /Self\(rawValue: "([a-z_]+)"\)/)
            try #require(!values.isEmpty, "\(file)")
            codes.formUnion(values.map { String($0.output.1) })
        }
        return codes
    }
}
