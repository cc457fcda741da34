/// Metrics in Prometheus' text format, version 0.0.4.
struct MetricsText {
    typealias Labels = [(name: String, value: String)]

    private(set) var text = ""

    mutating func counter(_ name: String, _ help: String, _ samples: [(labels: Labels, value: Double)]) {
        head(name, help, "counter")
        for sample in samples { line(name, sample.labels, Self.number(sample.value)) }
    }

    mutating func gauge(_ name: String, _ help: String, _ samples: [(labels: Labels, value: Double)]) {
        head(name, help, "gauge")
        for sample in samples { line(name, sample.labels, Self.number(sample.value)) }
    }

    mutating func histogram(_ name: String, _ help: String, _ samples: [(labels: Labels, histogram: Histogram)]) {
        head(name, help, "histogram")
        for sample in samples {
            let (counts, sum) = sample.histogram.reading
            var total = 0
            for (bound, count) in zip(sample.histogram.bounds, counts) {
                total += count
                let limit = Self.number(Double(bound) / sample.histogram.scale)
                line(name + "_bucket", sample.labels + [("le", limit)], "\(total)")
            }
            total += counts.last ?? 0
            line(name + "_bucket", sample.labels + [("le", "+Inf")], "\(total)")
            line(name + "_sum", sample.labels, Self.number(sum))
            line(name + "_count", sample.labels, "\(total)")
        }
    }

    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        self.histogram(name, help, [(labels: [], histogram: histogram)])
    }

    private mutating func head(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func line(_ name: String, _ labels: Labels, _ value: String) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// Whole numbers without a fraction.
    private static func number(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
