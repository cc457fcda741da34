internal import Ledger
internal import AppStoreModels
package import AppStoreServer
package import AppStoreTrust
package import Foundation
internal import Synchronization

/// Proves texts, and remembers for an hour what was proven: what was proven when it came is not proven again on its way to a
/// webhook, nor when somebody looks at a customer again or turns a page.
///
/// It finds a text by its signature and compares all of it, so a text that was changed is another one. It holds 16 MiB at
/// most, its own reckoning: twice the text, and 2 KiB for the certificates and the rest.
package final class ProvenTexts: TextVerifier {
    /// How much is held at most, in bytes.
    package static let capacity = 16 << 20
    /// How long, in seconds. Certificates can be revoked.
    private static let age: TimeInterval = 3600

    private enum Proof: Sendable {
        case notification(Verified<ResponseBodyV2DecodedPayload>)
        case transaction(Verified<JWSTransactionDecodedPayload>)
        case renewalInfo(Verified<JWSRenewalInfoDecodedPayload>)
        case failure(VerificationError)

        var isFailure: Bool { if case .failure = self { true } else { false } }
    }

    private struct Key: Hashable {
        /// The last letters of the signature: 90 bits, which no two have in common by chance, in a text short enough to need
        /// no memory of its own.
        private static let length = 15

        /// The same text may be one thing and not another.
        var kind: UInt8
        /// How the text ends.
        var end: ExactText

        init(_ text: String, _ kind: UInt8) {
            self.kind = kind
            end = ExactText(String(decoding: text.utf8.suffix(Self.length), as: UTF8.self))
        }
    }

    private struct Entry: Sendable {
        var text: String
        var proof: Proof
        var bytes: Int
        var provenAt: Date
    }

    /// Two halves: when one is full the other is let go of, with all that was not asked for since.
    private struct Memory {
        var recent: [Key: Entry] = [:]
        var former: [Key: Entry] = [:]
        var recentBytes = 0
        var formerBytes = 0

        mutating func add(_ entry: Entry, _ key: Key, limit: Int) {
            guard recent[key] == nil, entry.bytes <= limit else { return }
            if recentBytes + entry.bytes > limit {
                (former, formerBytes) = (recent, recentBytes)
                // The next half will hold about as many; to grow into that costs more than all else here.
                (recent, recentBytes) = (Dictionary(minimumCapacity: former.count), 0)
            }
            recent[key] = entry
            recentBytes += entry.bytes
        }
    }

    private let verifier: SignedDataVerifier
    private let now: @Sendable () -> Date
    private let halfOfCapacity: Int
    private let memory = Mutex(Memory())
    private let verifications = Atomic<Int>(0)

    package init(
        _ verifier: SignedDataVerifier, capacity: Int = ProvenTexts.capacity, now: @escaping @Sendable () -> Date
    ) {
        self.verifier = verifier
        self.now = now
        halfOfCapacity = capacity / 2
    }

    /// How many texts were verified, as opposed to known.
    package var verified: Int { verifications.load(ordering: .relaxed) }

    /// How much is held, in bytes.
    package var bytes: Int { memory.withLock { $0.recentBytes + $0.formerBytes } }

    package func notification(
        _ text: String
    ) async throws(VerificationError) -> Verified<ResponseBodyV2DecodedPayload> {
        if case .notification(let known)? = try known(text, 0) { return known }
        return try await prove(text, 0, Proof.notification) { (text) throws(VerificationError) in
            try await self.verifier.notification(text)
        }
    }

    package func transaction(
        _ text: String
    ) async throws(VerificationError) -> Verified<JWSTransactionDecodedPayload> {
        if case .transaction(let known)? = try known(text, 1) { return known }
        return try await prove(text, 1, Proof.transaction) { (text) throws(VerificationError) in
            try await self.verifier.transaction(text)
        }
    }

    package func renewalInfo(
        _ text: String
    ) async throws(VerificationError) -> Verified<JWSRenewalInfoDecodedPayload> {
        if case .renewalInfo(let known)? = try known(text, 2) { return known }
        return try await prove(text, 2, Proof.renewalInfo) { (text) throws(VerificationError) in
            try await self.verifier.renewalInfo(text)
        }
    }

    /// Remembers what somebody else has proven.
    package func remember(_ verified: Verified<ResponseBodyV2DecodedPayload>) {
        keep(.notification(verified), verified.text, 0)
    }

    private func known(_ text: String, _ kind: UInt8) throws(VerificationError) -> Proof? {
        let (key, now, limit) = (Key(text, kind), now(), halfOfCapacity)
        let proof = memory.withLock { memory -> Proof? in
            guard let entry = memory.recent[key] ?? memory.former[key], entry.text.isExactly(text),
                abs(now.timeIntervalSince(entry.provenAt)) < Self.age
            else { return nil }
            memory.add(entry, key, limit: limit)
            return entry.proof
        }
        if case .failure(let error)? = proof { throw error }
        return proof
    }

    private func prove<Payload: Sendable>(
        _ text: String, _ kind: UInt8, _ proof: (Verified<Payload>) -> Proof,
        _ verify: (String) async throws(VerificationError) -> Verified<Payload>
    ) async throws(VerificationError) -> Verified<Payload> {
        verifications.wrappingAdd(1, ordering: .relaxed)
        do throws(VerificationError) {
            let result = try await verify(text)
            keep(proof(result), text, kind)
            return result
        } catch {
            // What may be different in a moment is asked again.
            if !error.isRetryable { keep(.failure(error), text, kind) }
            throw error
        }
    }

    private func keep(_ proof: Proof, _ text: String, _ kind: UInt8) {
        let entry = Entry(text: text, proof: proof, bytes: 2 * text.utf8.count + 2048, provenAt: now())
        let (key, limit) = (Key(text, kind), halfOfCapacity)
        memory.withLock { memory in
            // Who puts a genuine signature under something else does not make the genuine text forgotten.
            if let known = memory.recent[key] ?? memory.former[key], !known.text.isExactly(text) {
                guard known.proof.isFailure || !proof.isFailure else { return }
            }
            if let old = memory.recent.removeValue(forKey: key) { memory.recentBytes -= old.bytes }
            memory.add(entry, key, limit: limit)
        }
    }
}
