public import AppStoreModels
import Basics
import Foundation

/// The description of one endpoint. ``all`` lists every endpoint.
public struct AppStoreEndpoint: Sendable, Hashable, Identifiable {
    /// A short, unique name, such as `transaction-history`. The command-line tool uses it.
    public let name: String

    /// The title of Apple's page.
    public let title: String

    /// The HTTP method: `GET`, `PUT`, `POST` or `DELETE`.
    public let method: String

    /// The path, with parameters in braces, such as `/inApps/v2/history/{anyTransactionId}`.
    public let path: String

    /// The quota that the endpoint shares with others.
    public let rateClass: RateClass

    /// Whether a request may be sent again when its outcome is unknown.
    public let idempotency: Idempotency

    /// The names of the supported query parameters.
    public let queryParameters: [String]

    /// The media type of the request body; nil if there is none.
    public let contentType: String?

    /// The status code of a success.
    public let successStatus: Int

    /// Whether a successful response has a JSON object as its body; otherwise the body is empty.
    public let hasResponseBody: Bool

    /// Whether the response is one page of several.
    public let isPaged: Bool

    /// The only environment that has the endpoint; nil for both.
    public let environment: AppStoreEnvironment?

    /// Whether Apple has a newer endpoint for the purpose.
    public let isDeprecated: Bool

    /// The same as ``name``.
    public var id: String { name }

    /// The names of the parameters in ``path``, in order.
    public var parameters: [String] { segments.filter(Self.isParameter).map { String($0.dropFirst().dropLast()) } }

    /// Whether a request may be sent again when its outcome is unknown.
    public struct Idempotency: Hashable, Sendable, CustomStringConvertible {
        /// The rule as text.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The request is idempotent.
        public static let idempotent = Idempotency("idempotent")
        /// The body contains an identifier (`requestIdentifier` or `requestReferenceId`) by which the server recognizes
        /// a repeated request, so the same body may be sent again.
        public static let byIdentifier = Idempotency("by_identifier")
        /// The request is not idempotent, or not known to be.
        public static let notIdempotent = Idempotency("not_idempotent")
    }

    init(
        _ name: String, _ title: String, _ method: String, _ path: String, _ rateClass: RateClass,
        _ idempotency: Idempotency, queryParameters: [String] = [], contentType: String? = nil,
        successStatus: Int = 200,
        hasResponseBody: Bool = true, isPaged: Bool = false, environment: AppStoreEnvironment? = nil,
        isDeprecated: Bool = false
    ) {
        self.name = name
        self.title = title
        self.method = method
        self.path = path
        self.rateClass = rateClass
        self.idempotency = idempotency
        self.queryParameters = queryParameters
        self.contentType = contentType
        self.successStatus = successStatus
        self.hasResponseBody = hasResponseBody
        self.isPaged = isPaged
        self.environment = environment
        self.isDeprecated = isDeprecated
    }
}

extension AppStoreEndpoint {
    /// The media type of most request bodies.
    static let json = "application/json"

    private var segments: [Substring] { path.split(separator: "/") }
    private static func isParameter(_ segment: Substring) -> Bool { segment.hasPrefix("{") }

    /// The maximum size of one path parameter, in bytes.
    public static let maximumParameterSize = 2048

    /// Returns path and query with every value percent-encoded, so that no value can add or remove a segment or start a
    /// query.
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
            // RFC 3986 §5.2.4: dot segments are removed from a path, and some servers remove empty segments.
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
            target += Self.isParameter(segment) ? (rest.popFirst() ?? "").percentEncoded : String(segment)
        }
        return query.isEmpty ? target : target + "?" + String(queryOf: query.map { ($0.name, $0.value) })
    }
}
