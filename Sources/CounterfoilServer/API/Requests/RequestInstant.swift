internal import Basics
internal import Ledger

/// An instant in a request: milliseconds since 1970, or ISO 8601 with a time zone. Responses have milliseconds.
struct RequestInstant: Decodable {
    let milliseconds: Milliseconds

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text: String
        do { text = String(try container.decode(Int64.self)) } catch { text = try container.decode(String.self) }
        guard let milliseconds = InstantText.milliseconds(text) else {
            throw APIFailure("invalid_instant", InstantText.form, parameter: decoder.member)
        }
        self.milliseconds = milliseconds
    }
}
