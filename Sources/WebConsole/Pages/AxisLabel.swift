/// A label below the axis of a drawing.
struct AxisLabel {
    var text: String
    /// The position in percent.
    var x: Double

    /// The width of a drawing on the narrowest screen, in pixels.
    private static let narrowest = 288.0
    /// The width of a drawing for texts of the class `wide`, in pixels. The style sheet shows them on pages from 62rem on.
    private static let leastWide = 920.0

    /// Returns the labels that are always shown, and further ones for wide screens. None of them overlap.
    static func shown(of labels: [AxisLabel]) -> (always: [AxisLabel], wide: [AxisLabel]) {
        let always = adding(labels, to: [], width: narrowest)
        return (always, Array(adding(labels, to: always, width: leastWide).dropFirst(always.count)))
    }

    private static func adding(_ labels: [AxisLabel], to shown: [AxisLabel], width: Double) -> [AxisLabel] {
        labels.reduce(into: shown) { shown, label in
            let extent = label.extent(width)
            if !shown.contains(where: { $0.extent(width).overlaps(extent) }) { shown.append(label) }
        }
    }

    func draw(y: Double, in drawing: inout Drawing, kind: StaticString = "small") {
        drawing.text(text, x: x, y: y, anchor: anchor, kind: kind)
    }

    /// The part of the text that is at `x`. A centred text would be cut off near the ends of the axis.
    private var anchor: Drawing.Anchor {
        let half = length(Self.narrowest) / 2
        return x < half ? .start : x > 100 - half ? .end : .middle
    }

    /// Returns the part of the axis that the label takes up in a drawing of a width in pixels.
    private func extent(_ width: Double) -> ClosedRange<Double> {
        let size = length(width)
        let start =
            switch anchor {
            case .start: x
            case .middle: x - size / 2
            case .end: x - size
            }
        return start...(start + size)
    }

    /// Returns the length of the text with some space around it, in percent of a width in pixels.
    private func length(_ width: Double) -> Double { (Double(text.count) * 7.7 + 8) / width * 100 }
}
