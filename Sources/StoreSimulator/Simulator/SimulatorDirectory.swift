internal import Foundation

/// The folder of a simulator: keys, certificates, snapshots and `simulator.json`.
struct SimulatorDirectory: Sendable {
    let url: URL
    private let isTemporary: Bool
    /// The lock, held while the simulator runs: two simulators in one folder would overwrite each other's keys.
    private let lock: FileHandle

    init(_ directory: URL?) throws(SimulatorError) {
        isTemporary = directory == nil
        url =
            directory?.absoluteURL
            ?? FileManager.default.temporaryDirectory.appending(path: "counterfoil-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SimulatorError(.unwritableDirectory, "the folder \(url.path) cannot be created")
        }
        lock = try Self.lock(url.appending(path: "lock"))
    }

    private static func lock(_ file: URL) throws(SimulatorError) -> FileHandle {
        let exists =
            FileManager.default.fileExists(atPath: file.path)
            || FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard exists, let handle = FileHandle(forWritingAtPath: file.path) else {
            throw SimulatorError(.unwritableDirectory, "\(file.path) cannot be written")
        }
        guard flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw SimulatorError(.directoryInUse, "another simulator runs in \(file.deletingLastPathComponent().path)")
        }
        return handle
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func removeIfTemporary() {
        // Files that remain in the system's temporary folder do no harm.
        if isTemporary { try? FileManager.default.removeItem(at: url) }
    }

    private var certificates: URL { Self.certificates(in: url) }

    static func certificates(in directory: URL) -> URL { directory.appending(path: "certificates") }

    /// The paths of the root certificates for signed data and for receipts.
    var rootCertificates: [String] {
        // The root for receipts may not exist yet.
        ["root.cer", "receipt-root.cer"].map { certificates.appending(path: $0).path }
            .filter { FileManager.default.fileExists(atPath: $0) }
    }

    /// Returns the certificate authority and the In-App Purchase key of this folder. New certificates contain OCSP URLs
    /// below `base`.
    func authority(
        _ configuration: SimulatorConfiguration, base: String, real: Date
    ) throws -> (StoreAuthority, StoreAPIKey) {
        guard let ocsp = URL(string: base + "/ocsp") else {
            throw SimulatorError(.invalidAddress, "\(base) is not a URL")
        }
        var start = real
        if case .frozen(let date) = configuration.clock { start = date }
        let validity = (min(start, real) - 2 * Authority.year)...(max(start, real) + 20 * Authority.year)
        let authority = try StoreAuthority(.init(ocspBaseURL: ocsp, validity: validity), directory: url)
        var identifiers = Identifiers(seed: configuration.seed, isSandbox: false)
        let issuer = identifiers.uuid()
        let key = try authority.apiKey(keyID: identifiers.keyIdentifier(), issuerID: issuer)
        if configuration.createsReceiptAuthorityAtStart { _ = try authority.receiptAuthority() }
        try authority.write(to: certificates)
        return (authority, key)
    }

    func write(_ information: SimulatorInformation) throws(SimulatorError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = url.appending(path: "simulator.json")
        do { try encoder.encode(information).write(to: file, options: .atomic) } catch {
            throw SimulatorError(.unwritableDirectory, "\(file.path) cannot be written")
        }
    }
}
