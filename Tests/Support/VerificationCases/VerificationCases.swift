internal import AppStoreTrust
internal import Foundation
internal import StoreSimulator

/// The tables of verification cases.
package enum VerificationCases {
    /// Cases that must be refused.
    package static let forgeries: [VerificationCase] =
        [
            compactForm, changedText, signedText, otherAlphabets, header, headerJSON, headerBytes, algorithm,
            algorithmTypes,
            confusion, signature, signedOther, chain, impostors, certificateEncoding, leaf, intermediate, root, keys,
            dates,
            payloadJSON, otherKinds, bundles, otherApps, environments, otherEnvironments, xcode,
        ].flatMap(\.self)

    /// Creates a text with an authority.
    typealias Maker = @Sendable (Authority) throws -> String

    /// A transaction signed by an authority with one changed property.
    static func defect(
        _ name: String, _ code: VerificationError.Code?,
        _ change: @escaping @Sendable (inout Authority.Changes) throws -> Void
    ) -> VerificationCase {
        VerificationCase(name, code) {
            var changes = Authority.Changes()
            try change(&changes)
            let authority = try Authority(now: TestStore.now, changes: changes)
            return .init(text: try authority.sign(Members(.transaction)), authority: authority)
        }
    }

    /// Returns a transaction whose length leaves `remainder` bytes for the last group of base64.
    static func payload(remainder: Int) -> String {
        var json = Members(.transaction).json
        while json.utf8.count % 3 != remainder { json += " " }
        return json
    }

    /// Returns another spelling of the same base64url text: the unused bits of the last character are set.
    static func withLeftoverBits(_ text: String) throws -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = text.last, let index = alphabet.firstIndex(of: last), index & 1 == 0 else {
            throw Unfit(description: "no bits are left over in this text")
        }
        return text.dropLast() + String(alphabet[index + 1])
    }

    /// Returns the text in the standard base64 alphabet.
    static func standardAlphabet(_ text: String) -> String {
        text.replacing("-", with: "+").replacing("_", with: "/")
    }

    /// Thrown by a case that would not show its defect.
    struct Unfit: Error, CustomStringConvertible { let description: String }
}
