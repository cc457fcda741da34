internal import Basics
internal import ConfigurationReading

/// The body of a request to this API. Unknown members are errors: a client that writes `signedTransactions` for
/// `signed_transactions` would otherwise get a success without any effect.
///
/// Bodies from the App Store and its old clients are decoded leniently: they may have members that this version does
/// not know.
protocol JSONRequestBody: Decodable {
    associatedtype CodingKeys: CodingKey, CaseIterable

    /// The names of the known members. Default: those of `CodingKeys`.
    static var members: [String] { get }
}

extension JSONRequestBody {
    static var members: [String] { CodingKeys.allCases.map(\.stringValue) }

    /// Decodes a body.
    ///
    /// - Parameter form: The expected body, for error messages: `a JSON object that …`.
    init(body: [UInt8], form: String) throws(APIFailure) {
        do { self = try StrictJSONDecoder.decode(KnownMembers<Self>.self, from: body).body } catch let failure
            as APIFailure
        {
            throw failure
        } catch let error as DecodingError {
            let member = error.path.map(\.stringValue).joined(separator: ".")
            guard !member.isEmpty else { throw APIFailure("bad_json", "Expected \(form).") }
            let mistake = error.isAboutMissingMember ? "is missing" : "is invalid"
            throw APIFailure("bad_json", "`\(member)` \(mistake). Expected \(form).", parameter: member)
        } catch {
            throw APIFailure("bad_json", "The body is not JSON. Expected \(form).")
        }
    }

    /// Throws 400 if an identifier is empty or too long.
    func requireIdentifiers(_ identifiers: (text: String?, member: String)...) throws(APIFailure) {
        for (text, member) in identifiers where !(1...255).contains(text?.utf8.count ?? 1) {
            throw APIFailure("invalid_identifier", "An identifier has 1 to 255 bytes.", parameter: member)
        }
    }
}

extension APIFailure {
    /// Creates the failure for a member whose value is none of the known ones.
    init(_ code: String, _ value: String, of member: String, isNoneOf known: [String]) {
        self.init(
            code,
            .unknown("`\(member)` takes \(known.joined(separator: ", ")), not \(quoted(value))", value, among: known),
            parameter: member)
    }
}

extension String {
    /// Returns the sentence with a suggestion: the known name that is most similar to the unknown one.
    static func unknown(_ sentence: String, _ name: String, among known: [String]) -> String {
        let suggestion = SpellingSuggestion.suggestion(for: name, among: known)
        return sentence + (suggestion.isEmpty ? "." : suggestion)
    }
}

/// A body that has only known members.
private struct KnownMembers<Body: JSONRequestBody>: Decodable {
    let body: Body

    init(from decoder: any Decoder) throws {
        let known = Body.members
        for unknown in try decoder.container(keyedBy: JSONName.self).allKeys.map(\.stringValue)
        where !known.contains(where: { $0.utf8.elementsEqual(unknown.utf8) }) {
            let name = String(unknown.prefix(64))
            throw APIFailure(
                "unknown_member", .unknown("Unknown member \(quoted(name))", name, among: known), parameter: name)
        }
        body = try Body(from: decoder)
    }
}

extension Decoder {
    /// The path of the member that is decoded.
    var member: String { codingPath.map(\.stringValue).joined(separator: ".") }
}

extension DecodingError {
    /// Whether a required member is missing or null.
    fileprivate var isAboutMissingMember: Bool {
        switch self {
        case .keyNotFound, .valueNotFound: true
        default: false
        }
    }
}
