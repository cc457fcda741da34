/// An SVG drawing that is as wide as the page. Its texts are escaped. Classes of the style sheet define its appearance,
/// because the content security policy forbids style attributes.
///
/// Horizontal positions and widths are in percent, vertical ones in pixels. So texts have the same size at every width.
package struct Drawing: Sendable {
    /// The elements so far.
    private var elements: [String] = []
    /// Whether the drawing contains links. Then its role is `group` instead of `img`.
    private var hasLinks = false
    private let height: Int
    private let title: String
    private let summary: String

    /// Creates an empty drawing.
    ///
    /// - Parameters:
    ///   - height: The height in pixels.
    ///   - title: The title, a few words.
    ///   - summary: A sentence that describes the drawing for users who cannot see it.
    package init(height: Int, title: String, summary: String) {
        (self.height, self.title, self.summary) = (height, title, summary)
    }

    /// Adds a rectangle. `label` is its tooltip.
    package mutating func rectangle(
        x: Double, y: Double, width: Double, height: Double, kind: StaticString, label: String,
        link: PageLink? = nil
    ) {
        let shape =
            "<rect class=\"\(kind)\" x=\"\(Self.number(x))%\" y=\"\(Self.number(y))\" width=\"\(Self.number(width))%\" "
            + "height=\"\(Self.number(height))\">\(Self.element("title", label))</rect>"
        guard let link else { return elements.append(shape) }
        hasLinks = true
        elements.append("<a href=\"\(HTMLText.escaped(link.description))\" tabindex=\"-1\">\(shape)</a>")
    }

    /// Adds a rectangle that is 8 pixels wide, with its centre at `x`. `label` is its tooltip.
    package mutating func marker(x: Double, y: Double, height: Double, kind: StaticString, label: String) {
        elements.append(
            "<rect class=\"\(kind)\" x=\"\(Self.number(x))%\" y=\"\(Self.number(y))\" width=\"8\" "
                + "height=\"\(Self.number(height))\" transform=\"translate(-4)\">"
                + Self.element("title", label) + "</rect>")
    }

    /// Adds a line.
    package mutating func line(x1: Double, y1: Double, x2: Double, y2: Double, kind: StaticString) {
        elements.append(
            "<line class=\"\(kind)\" x1=\"\(Self.number(x1))%\" y1=\"\(Self.number(y1))\" x2=\"\(Self.number(x2))%\" "
                + "y2=\"\(Self.number(y2))\"/>")
    }

    /// Adds a line through points. A single point becomes a dot.
    package mutating func curve(_ points: [(x: Double, y: Double)], kind: StaticString) {
        let ends = points.count == 1 ? points + points : points
        let coordinates = ends.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
        // The points of a line cannot be in percent. An inner drawing with 100 units across stretches them.
        elements.append(
            "<svg viewBox=\"0 0 100 \(height)\" preserveAspectRatio=\"none\">"
                + "<polyline class=\"\(kind)\" points=\"\(coordinates)\"/></svg>")
    }

    /// Adds a text. The anchor is the part of the text at the point.
    package mutating func text(
        _ text: String, x: Double, y: Double, anchor: Anchor = .start, kind: StaticString = "label"
    ) {
        elements.append(
            "<text class=\"\(kind)\" x=\"\(Self.number(x))%\" y=\"\(Self.number(y))\" text-anchor=\"\(anchor.rawValue)\">"
                + HTMLText.escaped(VisibleText.plain(text)) + "</text>")
    }

    /// The part of a text that is at its point.
    package enum Anchor: String, Sendable { case start, middle, end }

    /// The drawing as an HTML element.
    var markup: String {
        "<svg class=\"drawing\" role=\"\(hasLinks ? "group" : "img")\" width=\"100%\" height=\"\(height)\">"
            + Self.element("title", title) + Self.element("desc", summary) + elements.joined() + "</svg>"
    }

    private static func element(_ name: StaticString, _ text: String) -> String {
        "<\(name)>\(HTMLText.escaped(VisibleText.plain(text)))</\(name)>"
    }

    /// Returns a coordinate with up to two decimals. Values that are not finite or too large become 0.
    private static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e7 else { return "0" }
        let hundredths = Int((value * 100).rounded())
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        let sign = hundredths < 0 ? "-" : ""
        return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
