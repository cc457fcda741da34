internal import AppStoreTrust
internal import Crypto
package import Foundation
internal import Synchronization
internal import X509

/// What one simulator signs with: a root that stays, an intermediate, and leaves that can be replaced while everything
/// signed before stays valid.
///
/// With a directory it continues where the last one with that directory ended: the same root, the same generations. One
/// process at a time may use a directory.
package final class StoreAuthority: Sendable {
    package struct Configuration: Sendable {
        /// Where this simulator answers OCSP requests, as in `http://127.0.0.1:8080/ocsp`. The certificates name places
        /// below it.
        package var ocspBaseURL: URL
        /// When the certificates have to be valid: at the real time and at the simulated one.
        package var validity: ClosedRange<Date>
        /// How the names of the certificates begin.
        package var name = "Counterfoil Simulator"

        package init(ocspBaseURL: URL, validity: ClosedRange<Date>) {
            self.ocspBaseURL = ocspBaseURL
            self.validity = validity
        }
    }

    /// How many leaves one authority may have.
    package static let mostGenerations = 1000

    package let configuration: Configuration
    /// The places that new certificates name.
    package let places: Authority.Places
    package let root: Issued
    /// Where it is kept, if anywhere.
    package let directory: URL?
    /// Held while the authority for receipts is made, which takes seconds; the next one only to look.
    let receiptsInTheMaking = Mutex(())
    let receipts = Mutex<ReceiptAuthority?>(nil)
    let apiKeys = Mutex<[String: CryptoConstant<P256.Signing.PrivateKey>]>([:])

    private let state: Mutex<State>
    private let stranger = Mutex<PayloadSigner?>(nil)

    /// Makes an authority in memory, or continues the one in `directory`, which is made if it is not there.
    package init(_ configuration: Configuration, directory: URL? = nil) throws(StoreAuthorityError) {
        self.configuration = configuration
        self.directory = directory
        places = try Self.places(below: configuration.ocspBaseURL)
        let rootValidity = try Self.rootValidity(around: configuration.validity)
        if let directory {
            do {
                try FileManager.default.createDirectory(
                    at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw StoreAuthorityError(.unwritableFile, "the authority's directory cannot be made")
            }
        }
        var saved: (root: Issued, generations: [SigningGeneration])?
        if let directory {
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
            throw StoreAuthorityError(
                .invalidConfiguration, "the root that is kept is not valid all the time: use another directory")
        }
        let past = saved?.generations ?? []
        if let last = past.last, last.fits(configuration.validity, places) {
            state = Mutex(State(past: past.dropLast(), current: last))
        } else {
            // Another address or another time: certificates of their own, the keys stay.
            let next = try Self.next(
                after: past, configuration.name, root, configuration.validity, places, keepsKey: true)
            state = Mutex(State(past: past, current: next))
            try Self.save(root, past + [next], in: directory)
        }
    }

    private struct State {
        var past: [SigningGeneration]
        var current: SigningGeneration

        var all: [SigningGeneration] { past + [current] }

        /// By its number.
        subscript(number: Int) -> SigningGeneration? {
            if number == current.number { return current }
            return number > 0 && number <= past.count ? past[number - 1] : nil
        }
    }

    private static func save(
        _ root: Issued, _ generations: [SigningGeneration], in directory: URL?
    ) throws(StoreAuthorityError) {
        guard let directory else { return }
        try SecretFile.encode(
            SavedAuthority(root: root, generations: generations), to: directory.appending(path: fileName))
    }

    /// The generation that signs now.
    package var current: SigningGeneration { state.withLock { $0.current } }

    /// Signs with the current leaf. Cheaper than to ask for the whole generation.
    package var signer: PayloadSigner { state.withLock { $0.current.signer } }

    /// All generations, the oldest first.
    package var generations: [SigningGeneration] { state.withLock(\.all) }

    /// A generation by its number; nil if there is none.
    package func generation(_ number: Int) -> SigningGeneration? {
        state.withLock { $0[number] }
    }

    /// Replaces the leaf and its key. What was signed before stays valid.
    ///
    /// - Returns: The new generation.
    @discardableResult
    package func rotateLeaf(now: Date) throws(StoreAuthorityError) -> SigningGeneration {
        let validity = min(configuration.validity.lowerBound, now)...max(configuration.validity.upperBound, now)
        guard root.covers(validity) else {
            throw StoreAuthorityError(.invalidConfiguration, "the root is not valid at the time of the new leaf")
        }
        return try state.withLock { state throws(StoreAuthorityError) in
            let all = state.all
            let next = try Self.next(after: all, configuration.name, root, validity, places, keepsKey: false)
            try Self.save(root, all + [next], in: directory)
            (state.past, state.current) = (all, next)
            return next
        }
    }

    /// Signs with a chain of the right shape to a root that nobody trusts. Made when it is first asked for.
    package func wrongChainSigner() throws(StoreAuthorityError) -> PayloadSigner {
        try stranger.withLock { signer throws(StoreAuthorityError) in
            if let signer { return signer }
            let other = try StoreAuthority(.stranger(of: configuration))
            signer = other.current.signer
            return other.current.signer
        }
    }

    private static let fileName = "authority.json"
}
