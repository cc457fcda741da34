internal import AppStoreTrust
internal import Crypto
package import Foundation
internal import Synchronization
internal import X509

/// The certificate authority of a simulator: a permanent root, an intermediate, and replaceable leaves. After a leaf is
/// replaced, earlier signatures stay valid.
///
/// With a directory, the authority keeps its root and generations across restarts. Only one process at a time may use a
/// directory.
package final class StoreAuthority: Sendable {
    package struct Configuration: Sendable {
        /// The URL where the simulator answers OCSP requests, such as `http://127.0.0.1:8080/ocsp`. The certificates
        /// contain URLs below it.
        package var ocspBaseURL: URL
        /// The time in which the certificates have to be valid. It includes the real and the simulated time.
        package var validity: ClosedRange<Date>
        /// The prefix of the certificates' common names.
        package var name = "Counterfoil Simulator"

        package init(ocspBaseURL: URL, validity: ClosedRange<Date>) {
            self.ocspBaseURL = ocspBaseURL
            self.validity = validity
        }
    }

    /// The maximum number of leaves of an authority.
    package static let maximumGenerations = 1000

    package let configuration: Configuration
    /// The URLs in new certificates.
    package let urls: Authority.URLs
    package let root: Issued
    /// The directory of the files; nil if the authority is only in memory.
    package let directory: URL?
    /// Locked while the authority for receipts is created, which takes seconds. `receipts` is locked only briefly.
    let receiptCreation = Mutex(())
    let receipts = Mutex<ReceiptAuthority?>(nil)
    let apiKeys = Mutex<[String: CryptoConstant<P256.Signing.PrivateKey>]>([:])

    private let state: Mutex<State>
    private let untrustedSigner = Mutex<PayloadSigner?>(nil)

    /// Creates an authority in memory, or loads the one in `directory`. Creates the directory if it does not exist.
    package init(_ configuration: Configuration, directory: URL? = nil) throws(SimulatorError) {
        self.configuration = configuration
        self.directory = directory
        urls = try Self.urls(below: configuration.ocspBaseURL)
        let rootValidity = try Self.rootValidity(around: configuration.validity)
        var saved: (root: Issued, generations: [SigningGeneration])?
        if let directory {
            do {
                try FileManager.default.createDirectory(
                    at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw SimulatorError(.unwritableDirectory, "the directory of the authority cannot be created")
            }
            saved = try SecretFile.decode(SavedAuthority.self, from: directory.appending(path: Self.fileName))?.parts()
        }
        if let saved {
            root = saved.root
        } else {
            root = try attempting("issuing the root") {
                try Authority.rootTemplate(configuration.name, validity: rootValidity)
                    .issue(for: .init(P384.Signing.PrivateKey()))
            }
        }
        guard root.covers(configuration.validity) else {
            throw SimulatorError(
                .invalidArgument,
                "the saved root certificate does not cover the required time: use another directory")
        }
        let past = saved?.generations ?? []
        if let last = past.last, last.fits(configuration.validity, urls) {
            state = Mutex(State(past: past.dropLast(), current: last))
        } else {
            // The address or the time has changed: issue new certificates with the same keys.
            let next = try Self.next(
                after: past, configuration.name, root, configuration.validity, urls, keepsKey: true)
            state = Mutex(State(past: past, current: next))
            try Self.save(root, past + [next], in: directory)
        }
    }

    private struct State {
        var past: [SigningGeneration]
        var current: SigningGeneration

        var all: [SigningGeneration] { past + [current] }

        /// The generation with a number.
        subscript(number: Int) -> SigningGeneration? {
            if number == current.number { return current }
            return number > 0 && number <= past.count ? past[number - 1] : nil
        }
    }

    private static func save(
        _ root: Issued, _ generations: [SigningGeneration], in directory: URL?
    ) throws(SimulatorError) {
        guard let directory else { return }
        try SecretFile.encode(
            SavedAuthority(root: root, generations: generations), to: directory.appending(path: fileName))
    }

    /// The current generation.
    package var current: SigningGeneration { state.withLock { $0.current } }

    /// The signer with the current leaf. Cheaper than copying the whole generation.
    package var signer: PayloadSigner { state.withLock { $0.current.signer } }

    /// All generations, the oldest first.
    package var generations: [SigningGeneration] { state.withLock(\.all) }

    /// Returns the generation with a number; nil if there is none.
    package func generation(_ number: Int) -> SigningGeneration? {
        state.withLock { $0[number] }
    }

    /// Replaces the leaf and its key. Earlier signatures stay valid.
    package func rotateLeaf(now: Date) throws(SimulatorError) {
        let validity = min(configuration.validity.lowerBound, now)...max(configuration.validity.upperBound, now)
        guard root.covers(validity) else {
            throw SimulatorError(.invalidArgument, "the root is not valid at the time of the new leaf")
        }
        try state.withLock { state throws(SimulatorError) in
            let all = state.all
            let next = try Self.next(after: all, configuration.name, root, validity, urls, keepsKey: false)
            try Self.save(root, all + [next], in: directory)
            (state.past, state.current) = (all, next)
        }
    }

    /// Returns a signer whose chain has the correct structure but an untrusted root. The first call creates it.
    package func wrongChainSigner() throws(SimulatorError) -> PayloadSigner {
        try untrustedSigner.withLock { signer throws(SimulatorError) in
            if let signer { return signer }
            var configuration = configuration
            configuration.name = "Counterfoil Wrong Chain"
            let other = try StoreAuthority(configuration)
            signer = other.current.signer
            return other.current.signer
        }
    }

    private static let fileName = "authority.json"
}

/// Runs library calls with untyped errors. Replaces their errors, because they may quote their input.
func attempting<Value>(_ what: String, _ body: () throws -> Value) throws(SimulatorError) -> Value {
    do { return try body() } catch {
        if let error = error as? SimulatorError { throw error }
        throw SimulatorError(.failed, "\(what) failed")
    }
}
