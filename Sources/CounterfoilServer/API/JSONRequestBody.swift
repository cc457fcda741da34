internal import AppStoreServer
internal import Basics
internal import ConfigurationReading
internal import Foundation
internal import HTTPTypes

/// The body of a request to our own API. It has no members but those that it names: a client that writes `signedTransactions`
/// for `signed_transactions` would otherwise be told that all is well, and nothing would happen.
///
/// What the App Store and its old clients send may have members that this version does not know, and is read leniently.
protocol JSONRequestBody: Decodable {
    /// The names of the members.
    static var members: [String] { get }
}

extension JSONRequestBody {
    /// Reads a body.
    ///
    /// - Parameter form: What the body is, for whoever sent something else: `a JSON object that …`.
    init(body: [UInt8], form: String) throws(APIFailure) {
        do { self = try StrictJSONDecoder.decode(KnownMembers<Self>.self, from: body).body } catch let error
            as UnknownMember
        {
            throw APIFailure(
                "unknown_member", .unknown("Unknown member \(quoted(error.name))", error.name, among: Self.members),
                parameter: error.name)
        } catch let error as InvalidInstant {
            throw APIFailure("invalid_instant", InstantText.form, parameter: error.member)
        } catch let error as DecodingError {
            let member = error.member
            throw APIFailure(
                "bad_json", member.isEmpty ? "Expected \(form)." : "Expected \(form); see \(member).",
                parameter: member.isEmpty ? nil : member)
        } catch {
            throw APIFailure("bad_json", "The body is not JSON. Expected \(form).")
        }
    }
}

extension String {
    /// A sentence about a name that nobody knows, and the known one that may have been meant.
    static func unknown(_ sentence: String, _ name: String, among known: [String]) -> String {
        let suggestion = Spelling.suggestion(for: name, among: known)
        return sentence + (suggestion.isEmpty ? "." : suggestion)
    }
}

/// A member that a body does not have.
private struct UnknownMember: Error {
    /// Its name, or as much of it as anybody wants to read.
    var name: String
}

/// A body, after its members were looked at.
private struct KnownMembers<Body: JSONRequestBody>: Decodable {
    let body: Body

    init(from decoder: any Decoder) throws {
        for name in try decoder.container(keyedBy: JSONName.self).allKeys.map(\.stringValue)
        where !Body.members.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            throw UnknownMember(name: String(name.prefix(64)))
        }
        body = try Body(from: decoder)
    }
}

extension DecodingError {
    /// Where it happened. What is there is not told.
    fileprivate var member: String {
        switch self {
        case .keyNotFound(let key, _): key.stringValue
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.map(\.stringValue).joined(separator: ".")
        @unknown default: ""
        }
    }
}
