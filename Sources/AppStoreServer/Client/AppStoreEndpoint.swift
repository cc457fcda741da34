public import AppStoreModels
import Basics
import Foundation

/// One endpoint as data: ``all`` lists every one that there is.
public struct AppStoreEndpoint: Sendable, Hashable, Identifiable {
    /// A short name, unique: what the command calls it, such as `transaction-history`.
    public let name: String

    /// The title of Apple's page.
    public let title: String

    /// The method: `GET`, `PUT`, `POST` or `DELETE`.
    public let method: String

    /// The path with the parameters in braces, such as `/inApps/v2/history/{anyTransactionId}`.
    public let path: String

    /// The quota it shares.
    public let rateClass: RateClass

    /// Whether a request may be sent again when nobody knows what became of it.
    public let repetition: Repetition

    /// The query parameters it takes.
    public let query: [String]

    /// The media type of the body; nil if there is none.
    public let contentType: String?

    /// The status of a success.
    public let success: Int

    /// Whether a success brings a JSON object; otherwise it brings nothing.
    public let hasAnswer: Bool

    /// Whether the answer is one page of several.
    public let isPaged: Bool

    /// The one environment it exists in; nil for both.
    public let environment: AppStoreEnvironment?

    /// Whether Apple has a newer one for the purpose.
    public let isDeprecated: Bool

    /// The same as ``name``.
    public var id: String { name }

    /// The names of the parameters in ``path``, in order.
    public var parameters: [String] { segments.compactMap(\.parameter) }

    /// Whether a request may be sent again when nobody knows what became of it.
    public struct Repetition: Hashable, Sendable, CustomStringConvertible {
        /// The rule as text.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// Twice is the same as once.
        public static let safe = Repetition("safe")
        /// The body carries an identifier by which the server knows a request again, so the same body may be sent again:
        /// `requestIdentifier`, `requestReferenceId`.
        public static let byIdentifier = Repetition("by_identifier")
        /// Twice is not the same as once, or not known to be.
        public static let unsafe = Repetition("unsafe")
    }

    init(
        _ name: String, _ title: String, _ method: String, _ path: String, _ rateClass: RateClass,
        _ repetition: Repetition, query: [String] = [], contentType: String? = nil, success: Int = 200,
        hasAnswer: Bool = true, isPaged: Bool = false, environment: AppStoreEnvironment? = nil,
        isDeprecated: Bool = false
    ) {
        self.name = name
        self.title = title
        self.method = method
        self.path = path
        self.rateClass = rateClass
        self.repetition = repetition
        self.query = query
        self.contentType = contentType
        self.success = success
        self.hasAnswer = hasAnswer
        self.isPaged = isPaged
        self.environment = environment
        self.isDeprecated = isDeprecated
    }
}

extension AppStoreEndpoint {
    private struct Segment {
        let text: String
        var parameter: String? { text.hasPrefix("{") ? String(text.dropFirst().dropLast()) : nil }
    }

    private var segments: [Segment] { path.split(separator: "/").map { Segment(text: String($0)) } }

    /// The most bytes of one parameter.
    public static let maximumParameterSize = 2048

    /// Path and query with every value percent-encoded: no value can add a segment, leave one out or begin a query.
    ///
    /// - Throws: ``AppStoreServerError`` with `invalid_request` for the wrong number of arguments and for one that is
    ///   empty, `.`, `..` or too long.
    func target(_ arguments: [String], _ query: [(name: String, value: String)]) throws(AppStoreServerError) -> String {
        let parameters = parameters
        guard arguments.count == parameters.count else {
            throw AppStoreServerError(
                .invalidRequest, "\(name) takes \(parameters.count) path parameters, not \(arguments.count)")
        }
        for (argument, parameter) in zip(arguments, parameters) {
            // RFC 3986 §5.2.4: dot segments vanish from a path, and not every server keeps an empty one.
            guard !argument.isEmpty, argument != ".", argument != ".." else {
                throw AppStoreServerError(.invalidRequest, "the \(parameter) is empty or made of dots")
            }
            guard argument.utf8.count <= Self.maximumParameterSize else {
                throw AppStoreServerError(.invalidRequest, "the \(parameter) is too long")
            }
        }
        var rest = arguments[...]
        var target = ""
        for segment in segments {
            target += "/"
            target += segment.parameter == nil ? segment.text : (rest.popFirst() ?? "").percentEncoded
        }
        guard !query.isEmpty else { return target }
        return target + "?"
            + query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
    }
}
