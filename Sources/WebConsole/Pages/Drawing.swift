/// A picture in SVG. Its texts are escaped; its looks come from classes of the style sheet, because the content security
/// policy allows no style attributes.
package struct Drawing: Sendable {
    /// The elements so far.
    private var elements: [String] = []
    /// Whether something in it can be clicked, so that it is more than an image.
    private var hasLinks = false
    private let width: Int
    private let height: Int
    private let title: String
    private let summary: String

    /// An empty picture.
    ///
    /// - Parameters:
    ///   - title: What it shows, in a few words.
    ///   - summary: What there is to see, in a sentence, for those who do not see it.
    package init(width: Int, height: Int, title: String, summary: String) {
        (self.width, self.height, self.title, self.summary) = (width, height, title, summary)
    }

    /// A rectangle. What `label` says appears where somebody points at it.
    package mutating func rectangle(
        x: Double, y: Double, width: Double, height: Double, kind: StaticString, label: String? = nil,
        link: PageLink? = nil
    ) {
        let shape =
            "<rect class=\"\(kind)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(width))\" "
            + "height=\"\(Self.number(height))\""
        let body = label.map { ">\(Self.element("title", $0))</rect>" } ?? "/>"
        guard let link else { return elements.append(shape + body) }
        hasLinks = true
        elements.append("<a href=\"\(HTMLText.escaped(link.description))\" tabindex=\"-1\">\(shape)\(body)</a>")
    }

    /// A line.
    package mutating func line(x1: Double, y1: Double, x2: Double, y2: Double, kind: StaticString) {
        elements.append(
            "<line class=\"\(kind)\" x1=\"\(Self.number(x1))\" y1=\"\(Self.number(y1))\" x2=\"\(Self.number(x2))\" "
                + "y2=\"\(Self.number(y2))\"/>")
    }

    /// A line through points.
    package mutating func curve(_ points: [(x: Double, y: Double)], kind: StaticString) {
        let places = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
        elements.append("<polyline class=\"\(kind)\" points=\"\(places)\"/>")
    }

    /// A text that begins at a point, or ends there, or has it in its middle.
    package mutating func text(
        _ text: String, x: Double, y: Double, anchor: Anchor = .start, kind: StaticString = "label"
    ) {
        elements.append(
            "<text class=\"\(kind)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" text-anchor=\"\(anchor.rawValue)\">"
                + HTMLText.escaped(VisibleText.plain(text)) + "</text>")
    }

    /// Which end of a text is at its point.
    package enum Anchor: String, Sendable { case start, middle, end }

    /// The whole, as HTML takes it.
    var markup: String {
        "<svg class=\"drawing\" role=\"\(hasLinks ? "group" : "img")\" viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" height=\"\(height)\">"
            + Self.element("title", title) + Self.element("desc", summary) + elements.joined() + "</svg>"
    }

    private static func element(_ name: StaticString, _ text: String) -> String {
        "<\(name)>\(HTMLText.escaped(VisibleText.plain(text)))</\(name)>"
    }

    /// Two digits after the point are a hundredth of a pixel.
    private static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e7 else { return "0" }
        let hundredths = Int((value * 100).rounded())
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        let sign = hundredths < 0 ? "-" : ""
        return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
