package import Tracing

/// Creates spans for a tracer of swift-distributed-tracing. Without a tracer, each span costs one comparison.
package struct Spans: Sendable {
    private let tracer: (any Tracer)?

    package init(_ tracer: any Tracer) { self.tracer = tracer is NoOpTracer ? nil : tracer }

    /// Runs `work` in a span. The span ends with the work and records its error.
    ///
    /// - Parameter attributes: The attributes known before the work. They must not identify a customer.
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

    /// Runs `work` in a span whose final name and attributes are known only afterwards. `after` sets the attributes and
    /// returns the name.
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
