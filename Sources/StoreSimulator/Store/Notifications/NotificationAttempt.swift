package import AppStoreModels
package import Foundation

/// An attempt to deliver a notification, and the receiver's answer.
///
/// Snapshots encode it as Apple's `sendAttemptItem` with additional members.
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

    enum CodingKeys: String, MillisecondKey {
        case date = "attemptDate"
        case result = "sendAttemptResult"
        case httpStatus = "status"
        case answer, isManual
    }
}
