package import AppStoreModels
package import Foundation

/// An attempt to send a notification, and what the receiver answered.
///
/// A snapshot has it as Apple's `sendAttemptItem` with up to three more members, so that older simulators read it as well.
package struct NotificationAttempt: Sendable, Codable {
    /// How many bytes of an answer are kept.
    package static let largestAnswer = 512

    package let date: Date
    package let result: SendAttemptResult
    private let httpStatus: UInt16?
    /// Whether somebody asked for it, on top of Apple's schedule.
    package let isManual: Bool
    @Boxed private var text: String?

    /// - Parameter answer: The body of the answer. What is beyond ``largestAnswer`` bytes is not kept.
    package init(
        date: Date, result: SendAttemptResult, status: Int? = nil, answer: Data = Data(), isManual: Bool = false
    ) {
        (self.date, self.result, httpStatus) = (date, result, status.flatMap { UInt16(exactly: $0) })
        self.isManual = isManual
        text = answer.isEmpty ? nil : String(decoding: answer.prefix(Self.largestAnswer), as: UTF8.self)
    }

    /// The HTTP status, if there was an answer.
    package var status: Int? { httpStatus.map { Int($0) } }

    /// The beginning of the answer's body, if it had one.
    package var answer: String? { text }

    private enum CodingKeys: String, CodingKey {
        case date = "attemptDate"
        case result = "sendAttemptResult"
        case httpStatus = "status"
        case text = "answer"
        case isManual
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let number = try members.decode(Double.self, forKey: .date)
        // Snapshots of version 4 had seconds since 2001 here at first, and were read as if they were milliseconds.
        date =
            number.magnitude < 1e10
            ? Date(timeIntervalSinceReferenceDate: number) : Date(timeIntervalSince1970: number / 1000)
        result = try members.decode(SendAttemptResult.self, forKey: .result)
        httpStatus = try members.decodeIfPresent(UInt16.self, forKey: .httpStatus)
        isManual = try members.decodeIfPresent(Bool.self, forKey: .isManual) ?? false
        text = try members.decodeIfPresent(String.self, forKey: .text)
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(date.millisecondsSince1970 ?? 0, forKey: .date)
        try members.encode(result, forKey: .result)
        try members.encodeIfPresent(httpStatus, forKey: .httpStatus)
        try members.encodeIfPresent(text, forKey: .text)
        if isManual { try members.encode(true, forKey: .isManual) }
    }
}
