package import Tracing

/// The spans of the server's work, for a tracer of swift-distributed-tracing. Without one they cost a comparison.
package struct Spans: Sendable {
    private let tracer: (any Tracer)?

    package init(_ tracer: any Tracer) { self.tracer = tracer is NoOpTracer ? nil : tracer }

    /// Does `work` in a span, which ends with it and has the error that it throws.
    ///
    /// - Parameter attributes: What is known before; none of a customer.
    package func measure<Value>(
        _ name: String, _ kind: SpanKind = .internal, of attributes: @autoclosure () -> SpanAttributes = [:],
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        guard let tracer else { return try await work() }
        return try await tracer.withSpan(name, ofKind: kind) { span in
            span.attributes = attributes()
            return try await work()
        }
    }

    /// The same for what is known of the work only afterwards, the name included.
    package func measure<Value>(
        _ name: String, _ kind: SpanKind, _ work: () async throws -> Value,
        after: (Value, inout SpanAttributes) -> String
    ) async rethrows -> Value {
        guard let tracer else { return try await work() }
        return try await tracer.withSpan(name, ofKind: kind) { span in
            let value = try await work()
            span.operationName = after(value, &span.attributes)
            return value
        }
    }
}
