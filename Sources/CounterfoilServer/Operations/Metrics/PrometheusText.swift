internal import Basics
internal import LedgerServices

/// A writer for Prometheus' text format, version 0.0.4.
struct PrometheusText {
    private(set) var text = ""

    /// Writes the header of a metric. Its samples must follow.
    mutating func head(_ family: MetricFamily) {
        if let help = family.help { text += "# HELP \(family.name) \(help)\n" }
        text += "# TYPE \(family.name) \(family.kind.word)\n"
    }

    /// Writes one sample.
    mutating func line(_ name: String, _ labels: PrometheusLabels, _ value: String) {
        text += name
        if !labels.names.isEmpty {
            let pairs = zip(labels.names, labels.values).map { "\($0)=\"\(Self.escaped($1))\"" }
            text += "{" + pairs.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    /// Writes a metric that has one sample without labels.
    mutating func metric(_ family: MetricFamily, _ value: Double) {
        head(family)
        line(family.name, PrometheusLabels([]), Self.number(value))
    }

    /// Returns a name in which characters that the format does not allow are replaced by `_`.
    static func name(_ text: String) -> String {
        let name = String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ":") ? $0 : "_" })
        return name.first.map { !$0.isNumber } == true ? name : "_" + name
    }

    /// Formats a number; whole numbers without a fraction.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    private static func escaped(_ text: String) -> String {
        text.escaping { $0 == "\n" ? "\\n" : $0 == "\\" || $0 == "\"" ? "\\\($0)" : nil }
    }
}

/// The labels of a sample.
struct PrometheusLabels: Hashable, Comparable {
    private(set) var names: [String]
    private(set) var values: [String]

    init(_ dimensions: [(String, String)]) {
        // A colon is allowed in the name of a metric only.
        names = dimensions.map { PrometheusText.name($0.0).replacing(":", with: "_") }
        values = dimensions.map(\.1)
    }

    func adding(_ name: String, _ value: String) -> PrometheusLabels {
        var labels = self
        labels.names.append(name)
        labels.values.append(value)
        return labels
    }

    static func < (left: PrometheusLabels, right: PrometheusLabels) -> Bool {
        left.values.lexicographicallyPrecedes(right.values)
    }
}
