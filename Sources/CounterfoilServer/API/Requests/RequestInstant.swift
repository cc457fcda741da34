internal import Basics
internal import Ledger

/// An instant in a request: milliseconds since 1970, or ISO 8601 with a time zone. Responses have milliseconds.
struct RequestInstant: Decodable {
    let milliseconds: Milliseconds

    init?(_ text: some StringProtocol) {
        guard let milliseconds = InstantText.milliseconds(text) else { return nil }
        self.milliseconds = milliseconds
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let instant: RequestInstant?
        do { instant = Self(String(try container.decode(Int64.self))) } catch {
            instant = Self(try container.decode(String.self))
        }
        guard let instant else {
            throw APIFailure("invalid_instant", InstantText.form, parameter: decoder.member)
        }
        self = instant
    }
}
