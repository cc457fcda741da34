package import AppStoreModels
package import Foundation

/// An attempt to deliver a notification, and the receiver's answer.
///
/// Snapshots encode it as Apple's `sendAttemptItem` with up to three additional members, so that older simulators can
/// decode it.
package struct NotificationAttempt: Sendable, Codable {
    /// The maximum number of bytes stored of an answer's body.
    package static let maximumAnswerSize = 512

    package let date: Date
    package let result: SendAttemptResult
    private let httpStatus: UInt16?
    /// Whether the attempt was requested manually, in addition to Apple's retry schedule.
    package let isManual: Bool
    /// The beginning of the answer's body; nil if it is empty.
    @Boxed package private(set) var answer: String?

    /// - Parameter answer: The body of the answer. Only the first ``maximumAnswerSize`` bytes are stored.
    package init(
        date: Date, result: SendAttemptResult, status: Int? = nil, answer: Data = Data(), isManual: Bool = false
    ) {
        (self.date, self.result, httpStatus) = (date, result, status.flatMap { UInt16(exactly: $0) })
        self.isManual = isManual
        self.answer = answer.isEmpty ? nil : String(decoding: answer.prefix(Self.maximumAnswerSize), as: UTF8.self)
    }

    /// The HTTP status of the answer; nil if there was none.
    package var status: Int? { httpStatus.map { Int($0) } }

    private enum CodingKeys: String, CodingKey {
        case date = "attemptDate"
        case result = "sendAttemptResult"
        case httpStatus = "status"
        case answer, isManual
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let number = try members.decode(Double.self, forKey: .date)
        // The first snapshots of version 4 contained seconds since 2001 here instead of milliseconds since 1970.
        date =
            number.magnitude < 1e10
            ? Date(timeIntervalSinceReferenceDate: number) : Date(timeIntervalSince1970: number / 1000)
        result = try members.decode(SendAttemptResult.self, forKey: .result)
        httpStatus = try members.decodeIfPresent(UInt16.self, forKey: .httpStatus)
        isManual = try members.decodeIfPresent(Bool.self, forKey: .isManual) ?? false
        answer = try members.decodeIfPresent(String.self, forKey: .answer)
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(date.millisecondsSince1970 ?? 0, forKey: .date)
        try members.encode(result, forKey: .result)
        try members.encodeIfPresent(httpStatus, forKey: .httpStatus)
        try members.encodeIfPresent(answer, forKey: .answer)
        if isManual { try members.encode(true, forKey: .isManual) }
    }
}
