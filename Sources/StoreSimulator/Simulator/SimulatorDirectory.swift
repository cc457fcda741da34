internal import Foundation

/// The folder of a simulator: keys, certificates, snapshots, and the file that says how to reach it.
struct SimulatorDirectory: Sendable {
    let url: URL
    private let isTemporary: Bool

    init(_ directory: URL?) throws(SimulatorError) {
        isTemporary = directory == nil
        url =
            directory?.absoluteURL
            ?? FileManager.default.temporaryDirectory.appending(path: "counterfoil-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SimulatorError("unwritable_directory", "the folder \(url.path) cannot be made")
        }
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func removeIfTemporary() {
        // What is left of a temporary folder does no harm.
        if isTemporary { try? FileManager.default.removeItem(at: url) }
    }

    private var certificates: URL { url.appending(path: "certificates") }

    /// The roots for signed data and for receipts.
    var rootCertificates: [String] {
        let names = isTemporary ? ["root.cer"] : ["root.cer", "receipt-root.cer"]
        return names.map { certificates.appending(path: $0).path }
    }

    /// The authority of this folder, for the address at which the simulator is now.
    func authority(
        _ configuration: SimulatorConfiguration, base: String, real: Date
    ) throws -> (StoreAuthority, StoreAPIKey) {
        guard let ocsp = URL(string: base + "/ocsp") else {
            throw SimulatorError("invalid_address", "\(base) is no URL")
        }
        var start = real
        if case .frozen(let date) = configuration.clock { start = date }
        let year: TimeInterval = 365 * 86_400
        let validity = (min(start, real) - 2 * year)...(max(start, real) + 20 * year)
        let authority = try StoreAuthority(.init(ocspBaseURL: ocsp, validity: validity), directory: url)
        var identifiers = Identifiers(seed: configuration.seed, isSandbox: false)
        let issuer = identifiers.uuid()
        let key = try authority.apiKey(keyID: identifiers.keyIdentifier(), issuerID: issuer)
        // RSA keys take seconds to make. Who asked for a folder gets everything in it, who did not waits when needed.
        if !isTemporary { _ = try authority.receiptAuthority() }
        try authority.write(to: certificates)
        return (authority, key)
    }

    func write(_ information: SimulatorInformation) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(information).write(to: url.appending(path: "simulator.json"), options: .atomic)
    }
}
