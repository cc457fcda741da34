internal import Basics
internal import Foundation
internal import Ledger

/// An instant as clients send it: milliseconds since 1970, or ISO 8601 with a zone. Answers have milliseconds.
struct SentInstant: Decodable {
    /// What it is, for whoever sent something else.
    static let form = "An instant is a number of milliseconds since 1970, or such as 2026-05-01T09:30:00Z."

    let milliseconds: Milliseconds

    init?(_ text: some StringProtocol) {
        if let number = Int64(text) {
            self.init(number)
        } else {
            // A plus that was not encoded is a blank in a query.
            let text = text.replacingOccurrences(of: " ", with: "+")
            guard text.utf8.count <= 40 else { return nil }
            let formats = [false, true].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
            for format in formats {
                if let date = try? format.parse(text) { self.init(date.milliseconds) } else { continue }
                return
            }
            return nil
        }
    }

    private init?(_ number: Int64) {
        guard Date(milliseconds: number).milliseconds == number else { return nil }
        milliseconds = number
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let sent: SentInstant?
        do { sent = Self(try container.decode(Int64.self)) } catch {
            sent = Self(try container.decode(String.self))
        }
        guard let sent else {
            throw InvalidInstant(member: decoder.codingPath.map(\.stringValue).joined(separator: "."))
        }
        self = sent
    }
}

/// A member of a body that is no instant.
struct InvalidInstant: Error {
    var member: String
}
