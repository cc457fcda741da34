internal import AppStoreServer
internal import AppStoreTrust
internal import AsyncHTTPClient
internal import Foundation
internal import Hummingbird
internal import NIOCore

extension Error {
    /// Why something failed, for the log and for people: what errors of ours say, and of others what they are called. What
    /// others say of themselves may quote what they read.
    package var logReason: String {
        switch self {
        case let error as APIFailure: "\(error.type): \(error.message)"
        case let error as StorageError: "\(error.code.rawValue): \(error.message)"
        case let error as VerificationError: error.description
        case let error as AppStoreServerError: String(error.description.prefix(500))
        case let error as SigningError: error.description
        case let error as ServerError: error.message
        case let error as WebhookTarget.Refusal: "\(error.code.rawValue): \(error.description)"
        case let error as IOError: "input or output failed: \(String(cString: strerror(error.errnoCode)))"
        case let error as HTTPClientError: "the request failed: \(error.shortDescription)"
        case let error as HTTPError: "status \(error.status.code): \(error.status.reasonPhrase)"
        case is CancellationError: "it was given up"
        case is DecodingError: "what was read lacks a member, or has one of the wrong type"
        case is EncodingError: "something cannot be written as JSON"
        default: "an unexpected error of the type \(type(of: self))"
        }
    }
}
